import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { digestHex, digestOf } from '../../src/base/digest.ts';
import { emptyChain, extendChain, invariantTexts } from '../../src/ledger/chain.ts';
import {
  checkpointOf,
  formatSignedCheckpoint,
  proveEntry,
  signCheckpoint,
} from '../../src/ledger/checkpoint.ts';
import { parseEntry } from '../../src/ledger/entry.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { parseUnits, unitsRoot } from '../../src/ledger/units-object.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { everyKind } from '../support/ledger-entries.ts';
import { bytesOf, countingPorts, tellStory } from '../support/ledger-story.ts';
import { tellUpkeep } from '../support/ledger-upkeep.ts';
import { plainSigner } from '../support/signers.ts';
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

describe('the entries that show keys, amendments and retirements', () => {
  const story = async () => {
    const ledger = memoryLedger(countingPorts());
    await tellUpkeep(ledger);
    return (await ledger.entries()).map(({ bytes }) => new TextDecoder().decode(bytes));
  };

  it('are those of a ledger that was told', async () => {
    const told = await story();
    const shown = block('upkeep').trim().split('\n');
    expect(shown.map((line) => parseEntry(bytesOf(`${line}\n`)).kind)).toEqual([
      ...['key', 'amend', 'key', 'retire'],
    ]);
    for (const line of shown) expect(told).toContain(`${line}\n`);
  });

  it('are signed as the script checks it, and not otherwise', async () => {
    const [first = '', , last = ''] = block('upkeep').trim().split('\n');
    const folder = await newFolder();
    await writeFile(join(folder, 'check.py'), block('keycheck'));
    const check = async (entry: string, signer: string) => {
      await writeFile(join(folder, 'entry.json'), entry);
      await writeFile(join(folder, 'signer.json'), signer);
      const words = ['check.py', 'entry.json', 'signer.json'];
      return promisify(execFile)('python3', words, { cwd: folder });
    };
    expect((await check(first, first)).stdout).toContain('Signature Verified Successfully');
    expect((await check(last, first)).stdout).toContain('Signature Verified Successfully');
    await expect(check(last.replace('revoke', 'add'), first)).rejects.toThrow();
    const [, other = ''] = (await story()).filter((line) => line.includes('"kind":"key"'));
    await expect(check(last, other)).rejects.toThrow();
  });
});

async function storyEntries() {
  const ledger = memoryLedger(countingPorts());
  await tellStory(ledger);
  return ledger.entries();
}

describe('the script that checks one entry', () => {
  const check = async (proof: object) => {
    const folder = await newFolder();
    await writeFile(join(folder, 'proof.json'), JSON.stringify(proof));
    await writeFile(join(folder, 'check.py'), block('python'));
    return promisify(execFile)('python3', ['check.py', 'proof.json'], { cwd: folder });
  };

  it('has about 20 lines and confirms every entry, under a checkpoint and without one', async () => {
    const entries = await storyEntries();
    const checkpoint = checkpointOf(entries, 3);
    const note = formatSignedCheckpoint(checkpoint, [
      await signCheckpoint(checkpoint, plainSigner('ci')),
    ]);
    expect(block('python').trim().split('\n').length).toBeLessThanOrEqual(20);
    for (const seq of [0, 1, 2]) {
      const { stdout } = await check(proveEntry(entries, seq, note));
      expect(stdout).toBe(`entry ${seq} of 3 under ${checkpoint.origin}\n`);
    }
    const { stdout } = await check(proveEntry(entries, entries.length - 1, null));
    expect(stdout).toContain('under a root that nobody signed');
  });

  it('refuses another entry, place, root and checkpoint', async () => {
    const entries = await storyEntries();
    const note = formatSignedCheckpoint(checkpointOf(entries), []);
    const proof = proveEntry(entries, 1, note);
    const other = formatSignedCheckpoint(checkpointOf(entries, 1), []);
    for (const change of [
      { entry: '{}' },
      { index: 0 },
      { root: digestOf('') },
      { proof: [...proof.proof, digestOf('')] },
    ]) {
      await expect(check({ ...proof, ...change })).rejects.toThrow(
        /the (entry is not in the tree|proof is too long)/,
      );
    }
    await expect(check({ ...proof, checkpoint: other })).rejects.toThrow(
      "not the checkpoint's tree",
    );
  });
});
