import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { openHost } from '../../src/host/open-host.ts';
import { loadExperiment } from '../../src/store/experiment-folder.ts';

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  delete process.env['LIFTGATE_TEST_TOKEN'];
  delete process.env['LIFTGATE_TEST_OTHER'];
});

const greeting = `
process.stdout.write(JSON.stringify({
  kind: 'hello', protocols: ['cell/1'], supports: ['execute', 'grade'],
  host: { name: [process.env.LIFTGATE_TEST_TOKEN, process.env.LIFTGATE_TEST_OTHER].join('/'), version: '1' },
}) + '\\n');
process.stdin.resume();
`;

const spec = `
liftgate: 1
name: environment
claim: {use: development, decision: d, population: {id: p, description: d}, samplingFrame: f, unit: id, generalization: new-units}
cases: {file: cases.jsonl, id: id}
splits: {by: field, field: split}
arms: {baseline: {surface: {a: a.txt}}, candidates: {b: {surface: {a: b.txt}}}}
host: {worker: [node, host.mjs], env: [LIFTGATE_TEST_TOKEN]}
measures: {right: {kind: binary, role: primary, direction: higher}}
gates: [{gate: lift, measure: right}]
`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'liftgate-host-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

describe('openHost', () => {
  test('passes on the environment variables the spec names and no others', async () => {
    process.env['LIFTGATE_TEST_TOKEN'] = 'named';
    process.env['LIFTGATE_TEST_OTHER'] = 'unnamed';
    const folder = folderWith({
      'experiment.yaml': spec,
      'host.mjs': greeting,
      'a.txt': 'a',
      'b.txt': 'b',
      'cases.jsonl': '{"id":"u1","split":"final","q":1}\n{"id":"u2","split":"final","q":2}\n',
    });
    const host = await openHost(await loadExperiment(folder));
    try {
      expect((await host.hello()).host.name).toBe('named/');
    } finally {
      await host.close();
    }
  });
});
