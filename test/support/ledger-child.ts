/**
 * A process that writes to a ledger, for tests that kill it or let several of them race. Arguments: folder or URL, task, name.
 *
 * `append`  records plans without end, one line `<seq> <entry id>` on stdout for each acknowledged entry; a request that failed
 *           because the server was away is repeated
 * `claim`   for every line `<round>` on stdin tries to reserve the units of that round, its own ones in rounds named `own-...`;
 *           answers `won`, or `lost <owner>`
 * `work`    records a plan of that name, reserves two units for it, and says `done`
 */
import { createInterface } from 'node:readline';
import { digestOf } from '../../src/base/digest.ts';
import { LiftgateError } from '../../src/base/errors.ts';
import type { Appended } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/store/ledger-folder.ts';
import { bytesOf, recordPlan, reserve, unitsNamed } from './ledger-story.ts';

const [place, task, name] = process.argv.slice(2);
if (place === undefined || name === undefined) throw new Error('usage: place task name');
const ledger = openLedger(place, { actor: name });

async function appendForever(): Promise<void> {
  for (let index = 0; ; index += 1) {
    const { entry, entryId } = await insist(() => appendPlan(index));
    process.stdout.write(`${entry.seq} ${entryId}\n`);
  }
}

async function appendPlan(index: number): Promise<Appended<'seal'>> {
  const bytes = bytesOf(`plan ${index} of ${name}\n`);
  const sealDigest = await ledger.putObject(bytes);
  return ledger.append({
    kind: 'seal',
    requestId: `seal:${name}:${index}`,
    body: { experimentId: `e${index}`, sealDigest, size: bytes.length, stage: 'plan', plan: null },
  });
}

/** Repeats a request until the server is there. */
async function insist<Result>(request: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof LiftgateError) || error.details['reason'] !== 'server-unreachable')
        throw error;
      await new Promise((again) => setTimeout(again, 20));
    }
  }
}

async function claim(round: string): Promise<string> {
  const group = round.startsWith('own-') ? `${round}-${name}` : round;
  const units = unitsNamed(Array.from({ length: 20 }, (_, index) => `u-${group}-${index}`));
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

async function workOnce(experimentId: string): Promise<void> {
  const plan = await recordPlan(ledger, experimentId);
  await reserve(ledger, experimentId, plan, unitsNamed(['u-1', 'u-2']));
  process.stdout.write('done\n');
}

if (task === 'append') await appendForever();
else if (task === 'work') await workOnce(name);
else await claimOnDemand();
