/** What the tests of the experiment folders share: their files, their cases, and requests as the engine would send them. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { digestOf } from '../../src/base/digest.ts';
import {
  type ExecuteRequest,
  executeRequestSchema,
  type GradeRequest,
  gradeRequestSchema,
} from '../../src/run/receipt.ts';
import { surfaceDigest } from '../../src/spec/seal.ts';
import type { Fault } from '../../src/spec/spec.ts';

/** Folder of the project, with a closing slash. */
export const projectFolder: string = fileURLToPath(new URL('../../', import.meta.url));

/** Absolute path of a file of an experiment. */
export function experimentPath(experiment: string, file: string): string {
  return `${projectFolder}experiments/${experiment}/${file}`;
}

/** Text of a file of an experiment. */
export function experimentText(experiment: string, file: string): string {
  return readFileSync(experimentPath(experiment, file), 'utf8');
}

const mailCaseSchema = z.strictObject({
  id: z.string(),
  family: z.string(),
  split: z.enum(['train', 'final']),
  language: z.enum(['en', 'de']),
  style: z.enum(['plain', 'grouped', 'comma', 'code', 'minus']),
  has_amount: z.boolean(),
  mail: z.string(),
  amount: z.strictObject({ currency: z.string(), minor: z.int() }).nullable(),
  order: z.string(),
  date: z.iso.date(),
});
/** One mail of the refund desk with its truth. */
export type MailCase = z.infer<typeof mailCaseSchema>;

/** Reads the lines of a cases file. */
export function parseMailCases(text: string): MailCase[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => mailCaseSchema.parse(JSON.parse(line)));
}

/** Wraps one component text as a surface of the wire. */
export function surfaceOf(component: string, text: string): ExecuteRequest['surface'] {
  return {
    kind: 'bundle',
    components: { [component]: { text } },
    digest: surfaceDigest({ [component]: digestOf(text) }),
  };
}

const cellKey = 'a1'.repeat(32);
const experimentDigest = digestOf('an experiment');

/** An execute request for one input and surface. */
export function executeRequest(cell: {
  readonly input: ExecuteRequest['input'];
  readonly surface: ExecuteRequest['surface'];
  readonly fault?: Fault;
}): ExecuteRequest {
  return executeRequestSchema.parse({
    protocol: 'cell/1',
    kind: 'execute',
    cellKey,
    experimentDigest,
    attempt: 1,
    repeat: 0,
    seed: 7,
    caseId: 'case-1',
    limits: { wallMs: 20_000 },
    ...cell,
  });
}

/** A grade request for one artifact. */
export function gradeRequest(cell: {
  readonly input: GradeRequest['input'];
  readonly expected: GradeRequest['expected'];
  readonly inline: GradeRequest['artifact']['inline'];
  readonly fault?: Fault;
}): GradeRequest {
  const { inline, ...rest } = cell;
  const text = JSON.stringify(inline);
  return gradeRequestSchema.parse({
    protocol: 'cell/1',
    kind: 'grade',
    cellKey,
    experimentDigest,
    attempt: 1,
    caseId: 'case-1',
    artifact: { digest: digestOf(text), bytes: text.length, mediaType: 'application/json', inline },
    ...rest,
  });
}
