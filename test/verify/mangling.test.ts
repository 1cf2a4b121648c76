import { beforeAll, describe, expect, test } from 'vitest';
import { LiftgateError } from '../../src/base/errors.ts';
import {
  buildManifest,
  manifestDifferences,
  manifestDigest,
  parseManifest,
  runFileNames,
} from '../../src/verify/record.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { smallMails } from '../support/bundles.ts';
import { saying, withGate } from '../support/custom-gates.ts';
import { failures, withFiles } from '../support/forgery.ts';
import { type SettledRun, settledRun } from '../support/run.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const makeFolder = temporaryFolders();
let run: SettledRun;

beforeAll(async () => {
  const gated = withGate(saying('ship'), 'measures: [right]', smallMails['experiment.yaml']);
  run = await settledRun({ folder: await makeFolder(), files: { ...smallMails, ...gated } });
});

function bytesOf(name: string): Uint8Array {
  const bytes = run.files.get(name);
  if (bytes === undefined) throw new Error(`the run has no ${name}`);
  return bytes;
}

/** The bytes with the lowest bit of one byte turned: a digit becomes another digit, a letter another letter. */
function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, (bytes[at] ?? 0) ^ 1);
}

const names = Object.values(runFileNames);
const listed = names.filter((name) => name !== runFileNames.manifest);

describe('checkRun', () => {
  test('confirms the untouched run', () => {
    const verification = checkRun(run.files, run.view);
    expect(failures(verification)).toEqual([]);
    expect(verification.exitCode).toBe(0);
    expect(verification.checks.map(({ status }) => status)).not.toContain('not-checked');
    expect([...run.files.keys()].sort()).toEqual([...names].sort());
  });

  test.each(listed)('the manifest sees every single-byte change of %s', (name) => {
    const bytes = bytesOf(name);
    const only = new Map([[name as string, bytes]]);
    const { experimentId, seal } = parseManifest(run.files);
    const manifest = buildManifest(experimentId, seal, only);
    const missed = Array.from(bytes.keys()).filter((at) => {
      const found = manifestDifferences(manifest, new Map([[name, flipped(bytes, at)]]));
      return found[0] !== `${name} has other bytes than recorded`;
    });
    expect(manifestDifferences(manifest, only)).toEqual([]);
    expect(missed).toEqual([]);
  });

  test('every single-byte change of the manifest is refused, differs from the files, or from the ledger', () => {
    const bytes = bytesOf(runFileNames.manifest);
    const recorded = manifestDigest(parseManifest(run.files));
    const missed = Array.from(bytes.keys()).filter((at) => {
      const files = withFiles(run.files, { [runFileNames.manifest]: flipped(bytes, at) });
      try {
        const manifest = parseManifest(files);
        return (
          manifestDifferences(manifest, files).length === 0 && manifestDigest(manifest) === recorded
        );
      } catch (error) {
        return !(error instanceof LiftgateError && error.code === 'run-invalid');
      }
    });
    expect(missed).toEqual([]);
  });

  test.each([
    [runFileNames.manifest, 24],
    [runFileNames.plan, 16],
    [runFileNames.seal, 16],
    [runFileNames.cases, 16],
    [runFileNames.entries, 32],
    [runFileNames.controls, 24],
    [runFileNames.decision, 16],
    [runFileNames.summary, 8],
    [runFileNames.journal, 500],
  ])(
    'a changed byte of %s fails with exit code 41 and names the file (%i places)',
    (name, places) => {
      const bytes = bytesOf(name);
      const unnamed = Array.from({ length: places }, (_, k) =>
        Math.floor(((k + 0.5) * bytes.length) / places),
      ).filter((at) => {
        const files = withFiles(run.files, { [name]: flipped(bytes, at) });
        const verification = checkRun(files, run.view);
        const named = failures(verification).some((text) =>
          text.includes(name.split('.')[0] ?? ''),
        );
        return verification.exitCode !== 41 || !named;
      });
      expect(unnamed).toEqual([]);
    },
  );

  test.each(names)('a missing %s fails and is named', (name) => {
    const verification = checkRun(withFiles(run.files, { [name]: null }), run.view);
    expect(verification.exitCode).toBe(41);
    expect(failures(verification).join('\n')).toContain(name);
  });

  test.each(['notes.txt', 'journal.jsonl.bak', 'sub/decision.json', '.hidden'])(
    'an extra file %s fails and is named',
    (name) => {
      const verification = checkRun(withFiles(run.files, { [name]: 'x' }), run.view);
      expect(verification.exitCode).toBe(41);
      expect(failures(verification)).toEqual([`manifest: ${name} was not recorded`]);
    },
  );

  const json = names.filter((name) => name !== runFileNames.summary);
  const conversions: [string, (text: string) => string, RegExp][] = [
    ['CRLF line ends', (text) => text.replaceAll('\n', '\r\n'), /line ends were converted to CRLF/],
    [
      're-indented JSON',
      (text) => text.replace(/^\{/, '{\n  '),
      /it was re-indented|:\d+: A member name in double quotes is missing/,
    ],
    ['a byte order mark', (text) => `\ufeff${text}`, /starts with a byte order mark/],
    ['a missing last line feed', (text) => text.slice(0, -1), /line feed|torn/],
    ['merge markers', (text) => `<<<<<<< ours\n${text}`, /merge markers|not the canonical form/],
    [
      'a truncated last line',
      (text) => text.slice(0, -40),
      /torn|An unfinished string|other bytes/,
    ],
  ];
  test.each(json.flatMap((name) => conversions.map((each) => [name, ...each] as const)))(
    '%s with %s fails and says so',
    (name, _what, convert, said) => {
      const text = new TextDecoder().decode(bytesOf(name));
      const verification = checkRun(withFiles(run.files, { [name]: convert(text) }), run.view);
      expect(verification.exitCode).toBe(41);
      const told = failures(verification).join('\n');
      expect(told).toContain(name);
      expect(told).toMatch(said);
    },
  );
});
