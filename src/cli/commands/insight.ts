/** `liftgate report --insight`: what existing records show together. */
import { resolve } from 'node:path';
import { prettyText } from '../../base/canonical.ts';
import { LiftgateError } from '../../base/errors.ts';
import { renderInsightHtml, renderInsightMarkdown } from '../../report/insight-page.ts';
import { readInsight } from '../../serve/insight.ts';
import type { CommandContext } from '../context.ts';
import { type ReportOptions, writeText } from './report.ts';

/** Flags that only this form of `report` has. */
export interface InsightOptions {
  readonly insight?: boolean;
  readonly baseline?: string;
  readonly lower?: string;
}

const renderers = {
  markdown: renderInsightMarkdown,
  html: renderInsightHtml,
  json: prettyText,
} as const;

/** Shows what run folders and files of records hold together; exit code 0, since nothing is decided. */
export async function insight(
  { output, cwd }: CommandContext,
  options: ReportOptions & InsightOptions,
  paths: readonly string[],
): Promise<number> {
  const { format, out, baseline, lower } = options;
  if (format === 'junit' || format === 'github') {
    throw new LiftgateError('usage', `An insight report has no ${format} form.`, {
      mend: 'Write it as markdown, html or json: it decides nothing that CI could judge.',
    });
  }
  const view = readInsight({
    sources: paths.map((name) => ({ path: resolve(cwd, name), name })),
    ...(baseline === undefined ? {} : { baseline }),
    ...(lower === undefined ? {} : { lower: lower.split(',') }),
  });
  const text = renderers[format](view);
  if (out !== undefined) writeText(resolve(cwd, out), text);
  else if (!output.json) output.line(text.trimEnd());
  output.document(view);
  await output.flush();
  return 0;
}
