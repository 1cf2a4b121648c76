import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import { emptyChain, extendChain } from '../../src/ledger/chain.ts';
import { invariantTexts } from '../../src/ledger/check-ledger.ts';
import { parseUnits, unitsRoot } from '../../src/ledger/units-object.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { everyKind } from '../support/ledger-entries.ts';
import { bytesOf, countingPorts, tellStory } from '../support/ledger-story.ts';
import { temporaryFolders } from '../support/temporary-folder.ts';

const newFolder = temporaryFolders();
const readme = await readFile(join(import.meta.dirname, '../../ledger/README.md'), 'utf8');

function block(language: string): string {
  return readme.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? '';
}

function row(first: string): string[] {
  const line = readme.split('\n').find((each) => each.startsWith(`| ${first} |`)) ?? '';
  return line.split('|').map((cell) => cell.trim());
}

async function runCheck(folder: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)('sh', ['-c', block('sh')], { cwd: folder });
  return stdout.trim().split('\n');
}

describe('ledger/README.md', () => {
  it('shows entries that are byte for byte what it says', () => {
    let chain = emptyChain;
    const shown: string[] = [];
    const unitLists: string[] = [];
    for (const line of block('json').trim().split('\n')) {
      const next = extendChain(chain, bytesOf(`${line}\n`));
      chain = next.chain;
      const { entry, entryId } = next.stored;
      shown.push(`${digestHex(entryId)}  log/0000000${entry.seq}.json`);
      if (entry.kind === 'reserve') unitLists.push(entry.body.unitsObject, entry.body.unitsRoot);
    }
    expect(shown).toHaveLength(3);
    expect(readme).toContain(`\n${shown.join('\n')}\n`);
    const units = parseUnits(bytesOf(block('units')));
    expect(unitLists).toEqual([digestOf(block('units')), unitsRoot(units)]);
  });

  it('has a check that needs no Liftgate and finds what was changed', async () => {
    const folder = join(await newFolder(), 'ledger');
    const ledger = openLedger(folder, countingPorts());
    await tellStory(ledger);
    const head = `head "${(await ledger.state()).chain.head}"`;
    expect(await runCheck(folder)).toEqual([head]);
    const entry = join(folder, 'log', '00000004.json');
    const bytes = await readFile(entry);
    await writeFile(entry, bytes.with(12, bytes.at(12) === 0x61 ? 0x62 : 0x61));
    expect(await runCheck(folder)).toEqual(['BROKEN before log/00000005.json', head]);
    await writeFile(entry, bytes);
    const name = (await readdir(join(folder, 'objects')))[0] ?? '';
    await writeFile(join(folder, 'objects', name), 'changed');
    expect(await runCheck(folder)).toEqual([head, `CHANGED objects/${name}`]);
  });

  it.each(everyKind)('lists the members of $kind', ({ kind, body }) => {
    const listed = (row(`\`${kind}\``)[2] ?? '').split(', ').map((member) => member.slice(1, -1));
    expect(listed.toSorted()).toEqual(Object.keys(body).toSorted());
  });

  it('lists the invariants as the check words them', () => {
    for (const [id, text] of Object.entries(invariantTexts)) expect(row(id)[2]).toBe(text);
  });
});
