/**
 * A process that writes to a ledger folder, for tests that kill it or let two of them race. Arguments: folder, task, name.
 *
 * `append`  records plans without end, one line `<seq> <entry id>` on stdout for each acknowledged entry
 * `claim`   for every line `<round>` on stdin tries to reserve the units of that round; answers `won`, or `lost <owner>`
 */
import { createInterface } from 'node:readline';
import { digestOf } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { bytesOf, reserve, unitsNamed } from './ledger-story.ts';

const [folder, task, name] = process.argv.slice(2);
if (folder === undefined || name === undefined) throw new Error('usage: folder task name');
const ledger = openLedger(folder, { actor: name });

async function appendForever(): Promise<void> {
  for (let index = 0; ; index += 1) {
    const bytes = bytesOf(`plan ${index} of ${name}\n`);
    const sealDigest = await ledger.putObject(bytes);
    const { entry, entryId } = await ledger.append({
      kind: 'seal',
      requestId: `seal:${name}:${index}`,
      body: {
        experimentId: `e${index}`,
        sealDigest,
        size: bytes.length,
        stage: 'plan',
        plan: null,
      },
    });
    process.stdout.write(`${entry.seq} ${entryId}\n`);
  }
}

async function claim(round: string): Promise<string> {
  const units = unitsNamed(Array.from({ length: 20 }, (_, index) => `u-${round}-${index}`));
  const plan = digestOf(`plan ${round} of ${name}\n`);
  try {
    const { replayed } = await reserve(ledger, `${name}-${round}`, plan, units);
    return replayed ? 'replayed' : 'won';
  } catch (error) {
    if (error instanceof LiftgateError) return `lost ${String(error.details['owner'])}`;
    throw error;
  }
}

async function claimOnDemand(): Promise<void> {
  process.stdout.write('ready\n');
  for await (const round of createInterface({ input: process.stdin })) {
    process.stdout.write(`${await claim(round)}\n`);
  }
}

await (task === 'append' ? appendForever() : claimOnDemand());
