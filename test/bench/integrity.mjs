/**
 * What the ledger, its verification and canonical JSON cost, beside the least the machine can do for the same bytes.
 *
 *     npm run bench:integrity
 *     LIFTGATE_BENCH_POSTGRES=postgres://... npm run bench:integrity     adds the PostgreSQL ledger, in a ledger of its own
 *
 * Durable work is wall time, alternating in small blocks with the bare system calls of the same files, so that both meet the same
 * disk; the ratio is the median over the blocks. The rest is processor time of the fastest of several runs. Exits 1 when a row is
 * short of its target.
 */
import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fdatasyncSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalLine, canonicalText } from '../../dist/base/canonical.js';
import { digestHex, digestOf } from '../../dist/base/digest.js';
import { merkleRoot } from '../../dist/base/merkle.js';
import { emptyChain, extendChain } from '../../dist/ledger/chain.js';
import { entryFileName, entryId } from '../../dist/ledger/entry.js';
import { reserveUnits } from '../../dist/ledger/reserve.js';
import { skeletonOf } from '../../dist/spec/units.js';
import { nodeFiles } from '../../dist/store/ledger-files.js';
import { openLedger } from '../../dist/store/ledger-folder.js';
import { openRunFolder } from '../../dist/store/run-folder.js';
import { parseReceiptLines } from '../../dist/verify/record.js';
import { cpuMs, cpuMsOfEach, median, rounded, row, tellRows, told, wallMs } from './measure.mjs';
import { verifyMemory } from './memory.mjs';

const project = join(import.meta.dirname, '../..');
const disk = mkdtempSync(join(tmpdir(), 'liftgate-bench-'));
const memory = existsSync('/dev/shm') ? mkdtempSync('/dev/shm/liftgate-bench-') : disk;

const unsynced = {
  ...nodeFiles,
  create: async (path) => ({ ...(await nodeFiles.create(path)), sync: async () => {} }),
  syncFile: async () => {},
  syncFolder: async () => {},
};

function units(prefix, count) {
  return Array.from(
    { length: count },
    (_, index) => `${prefix}-${String(index).padStart(6, '0')}`,
  ).map((id) => ({
    id,
    skeleton: skeletonOf(id),
    fingerprints: [digestOf(id)],
  }));
}

async function recordPlan(ledger, experimentId) {
  const bytes = Buffer.from(`plan of ${experimentId}\n`);
  const sealDigest = await ledger.putObject(bytes);
  const body = { experimentId, sealDigest, size: bytes.length, stage: 'plan', plan: null };
  await ledger.append({ kind: 'seal', requestId: `seal:${digestHex(sealDigest)}`, body });
  return sealDigest;
}

async function recordPlans(ledger, count) {
  const plans = [];
  for (let index = 0; index < count; index += 1) plans.push(await recordPlan(ledger, `e-${index}`));
  return plans;
}

function reserve(ledger, experimentId, plan, list) {
  const request = {
    experimentId,
    plan,
    population: 'mails',
    family: 'mails',
    alphaNano: 25_000_000,
  };
  return reserveUnits(ledger, { ...request, units: list });
}

/** The system calls of one file that is written once, and nothing else. */
function bareFile(folder, name, bytes) {
  const temporary = join(folder, `.tmp-${process.pid}-${name}`);
  const file = openSync(temporary, 'wx', 0o644);
  writeSync(file, bytes);
  fsyncSync(file);
  closeSync(file);
  linkSync(temporary, join(folder, name));
  unlinkSync(temporary);
  const parent = openSync(folder, 'r');
  fsyncSync(parent);
  closeSync(parent);
}

async function thousandUnits() {
  let synced = 0;
  const create = async (path) => {
    const file = await nodeFiles.create(path);
    const sync = () => {
      synced += 1;
      return file.sync();
    };
    return { ...file, sync };
  };
  const ledger = openLedger(join(disk, 'thousand'), { files: { ...nodeFiles, create } });
  const plan = await recordPlan(ledger, 'e');
  const before = { synced, entries: (await ledger.entries()).length };
  const ms = await wallMs(() => reserve(ledger, 'e', plan, units('u', 1000)));
  const entries = (await ledger.entries()).length - before.entries;
  row('reserve of 1,000 units: entries appended', ['<=', 1], entries);
  const durable = synced - before.synced;
  row('the same: files made durable (list, entry)', ['<=', 2], durable, `${Math.round(ms)} ms`);
}

async function thousandReservations() {
  const folder = join(disk, 'sequence');
  const count = 1000;
  const plans = await recordPlans(openLedger(folder, { files: unsynced }), count);
  const ledger = openLedger(folder);
  const first = (await ledger.entries()).length;
  const bare = { log: join(disk, 'bare-log'), objects: join(disk, 'bare-objects') };
  for (const path of Object.values(bare)) mkdirSync(path);
  const block = 20;
  const ratios = [];
  const own = [];
  for (let start = 0; start < count; start += block) {
    const ids = Array.from({ length: block }, (_, index) => start + index);
    const ours = await wallMs(async () => {
      for (const index of ids)
        await reserve(ledger, `e-${index}`, plans[index], units(`u-${index}`, 3));
    });
    const files = ids.map((index) => {
      const entry = readFileSync(join(folder, 'log', entryFileName(first + index)));
      const object = digestHex(JSON.parse(entry).body.unitsObject);
      return { entry, index, object, list: readFileSync(join(folder, 'objects', object)) };
    });
    const least = await wallMs(() => {
      for (const { entry, index, object, list } of files) {
        bareFile(bare.objects, object, list);
        bareFile(bare.log, entryFileName(index), entry);
      }
    });
    ratios.push(ours / least);
    own.push(ours / block);
  }
  const name = '1,000 reservations in sequence, over the bare calls for the same files';
  row(name, ['<=', 1.5, ' x'], median(ratios), `${rounded(median(own))} ms each`);
}

/** Processor time of one append to a ledger of a given length; the disk is left out. */
async function growth() {
  const folder = join(memory, 'growth');
  const ledger = openLedger(folder, { files: unsynced });
  const lengths = [100, 1000, 10_000];
  const costs = [];
  let index = 0;
  await recordPlans(openLedger(join(memory, 'warm'), { files: unsynced }), 1000);
  const appendOne = async () => {
    index += 1;
    await recordPlan(ledger, `g-${index}`);
  };
  for (const length of lengths) {
    while (index < length) await appendOne();
    let fastest = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 8; turn += 1) {
      const start = process.cpuUsage();
      for (let each = 0; each < 25; each += 1) await appendOne();
      const { user, system } = process.cpuUsage(start);
      fastest = Math.min(fastest, (user + system) / 25_000);
    }
    costs.push(fastest);
  }
  row(
    'J1: append at 10,000 entries over append at 100',
    ['<=', 1.1, ' x'],
    costs[2] / costs[0],
    `${costs.map((ms) => `${rounded(ms)} ms`).join(', ')}`,
  );
}

async function fullVerify() {
  const folder = join(memory, 'whole');
  const ledger = openLedger(folder, { files: unsynced });
  for (let index = 0; index < 5000; index += 1) {
    const plan = await recordPlan(ledger, `v-${index}`);
    await reserve(ledger, `v-${index}`, plan, units(`v-${index}`, 5));
  }
  let [fastest, wall] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let turn = 0; turn < 3; turn += 1) {
    const start = process.cpuUsage();
    const elapsed = await wallMs(async () => {
      const report = await openLedger(folder).verify();
      if (!report.ok || report.entries !== 10_001) throw new Error('the ledger does not verify');
    });
    const { user, system } = process.cpuUsage(start);
    fastest = Math.min(fastest, (user + system) / 1e6);
    wall = Math.min(wall, elapsed / 1000);
  }
  const name = 'full verify of 10,001 entries and 10,000 objects, processor time';
  row(name, ['<=', 3, ' s'], fastest, `${rounded(wall)} s by the clock`);
  return readdirSync(join(folder, 'log'))
    .sort()
    .map((file) => readFileSync(join(folder, 'log', file)));
}

/** Receipts of the refund desk, again and again under other unit names. */
function manyReceipts(count) {
  const [run] = readdirSync(join(project, 'experiments/refund-desk/runs'));
  const text = readFileSync(
    join(project, 'experiments/refund-desk/runs', run, 'journal.jsonl'),
    'utf8',
  );
  const receipts = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .flatMap((line) => (line.kind === 'receipt' ? [line.line] : []));
  return Array.from({ length: count }, (_, index) => {
    const line = receipts[index % receipts.length];
    return {
      ...line,
      cell: { ...line.cell, unit: `${line.cell.unit}-${Math.floor(index / receipts.length)}` },
    };
  });
}

function entriesOnBytes(entries) {
  const whole = Buffer.concat(entries);
  const megabytes = whole.length / 1e6;
  const least = cpuMs(() => createHash('sha256').update(whole).digest());
  const chain = cpuMs(() => {
    for (const bytes of entries) entryId(bytes);
  });
  row(
    'J3: ids of 10,001 entries from their bytes, over one SHA-256 of all',
    ['>=', 0.28, ' x'],
    least / chain,
    `${Math.round((1000 * megabytes) / chain)} MB/s`,
  );
  const texts = entries.map((bytes) => bytes.toString('utf8'));
  const follow = () => entries.reduce((head, each) => extendChain(head, each).chain, emptyChain);
  const parseOnce = () => texts.filter((text) => JSON.parse(text) === null);
  const [parse, deep] = cpuMsOfEach([parseOnce, follow], 15);
  row(
    'J5: entries parsed, re-encoded, chained, over JSON.parse',
    ['>=', 0.5, ' x'],
    parse / deep,
    `${Math.round((1000 * megabytes) / deep)} MB/s`,
  );
}

function receiptsOnBytes() {
  const values = manyReceipts(100_000);
  const lines = values.map((value) => canonicalLine(value));
  const bytes = Buffer.from(lines.join(''));
  const megabytes = bytes.length / 1e6;
  const least = cpuMs(() => createHash('sha256').update(bytes).digest(), 3);
  const digest = cpuMs(() => digestOf(bytes), 3);
  const name = `100,000 receipts (${Math.round(megabytes)} MB)`;
  row(
    `${name}: digest of the file, as the manifest has it`,
    ['>=', 300, ' MB/s'],
    (1000 * megabytes) / digest,
    `${rounded(least / digest)} x one SHA-256`,
  );
  const tree = cpuMs(() => merkleRoot(lines), 3);
  row(`${name}: Merkle root over the lines`, ['>=', 300, ' MB/s'], (1000 * megabytes) / tree);
  const parse = cpuMs(() => lines.filter((line) => JSON.parse(line) === null), 3);
  const deep = cpuMs(() => parseReceiptLines(bytes, 'receipts.jsonl'), 3);
  row(
    `${name}: parsed, re-encoded, shape checked, over JSON.parse`,
    ['>=', 0.35, ' x'],
    parse / deep,
    `${Math.round((1000 * megabytes) / deep)} MB/s`,
  );
  const some = values.slice(0, 20_000);
  // To look at one character lays a text flat that was put together of pieces, as whoever takes its bytes does.
  const [stringify, canonical] = cpuMsOfEach([
    () => some.filter((value) => JSON.stringify(value).charCodeAt(0) === 0),
    () => some.filter((value) => canonicalText(value).charCodeAt(0) === 0),
  ]);
  const ratio = canonical / stringify;
  row('J6: canonical text of receipts, laid flat, over JSON.stringify', ['<=', 1.1, ' x'], ratio);
}

/** Lines of a run's journal from 64 producers that each wait for theirs, over one fdatasync per 64 lines. */
async function journal() {
  const line = canonicalLine(manyReceipts(1)[0]);
  const log = openRunFolder(join(disk, 'run')).openLog('journal.jsonl', 0);
  const bare = openSync(join(disk, 'bare.jsonl'), 'a');
  const ratios = [];
  let rate = 0;
  for (let block = 0; block < 40; block += 1) {
    const ours = await wallMs(() =>
      Promise.all(
        Array.from({ length: 64 }, async () => {
          for (let each = 0; each < 4; each += 1) await log.append(line);
        }),
      ),
    );
    const least = await wallMs(() => {
      for (let each = 0; each < 4; each += 1) {
        writeSync(bare, line.repeat(64));
        fdatasyncSync(bare);
      }
    });
    ratios.push(least / ours);
    rate += (256 * 1000) / ours / 40;
  }
  closeSync(bare);
  await log.close();
  row(
    'J2: durable journal lines of 64 producers, over one fdatasync per 64',
    ['>=', 0.7, ' x'],
    median(ratios),
    `${Math.round(rate)} lines/s`,
  );
}

async function postgres(url) {
  const ledger = openLedger(
    `${url}${url.includes('?') ? '&' : '?'}ledger=bench-${randomBytes(4).toString('hex')}`,
  );
  const plans = await recordPlans(ledger, 300);
  const ms = await wallMs(async () => {
    for (const [index, plan] of plans.entries())
      await reserve(ledger, `e-${index}`, plan, units(`u-${index}`, 3));
  });
  told(
    'PostgreSQL: 300 reservations in sequence (list and entry, a commit each)',
    `${rounded(ms / plans.length)} ms each`,
  );
  const check = await wallMs(() => ledger.verify());
  told('PostgreSQL: full verify of 601 entries and their objects', `${rounded(check)} ms`);
}

try {
  await thousandUnits();
  await thousandReservations();
  await growth();
  entriesOnBytes(await fullVerify());
  receiptsOnBytes();
  verifyMemory(disk);
  await journal();
  const url = process.env.LIFTGATE_BENCH_POSTGRES;
  if (url !== undefined) await postgres(url);
} finally {
  for (const folder of [disk, memory]) rmSync(folder, { recursive: true, force: true });
}
tellRows();
