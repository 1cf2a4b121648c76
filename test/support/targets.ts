/** Everything of a record that can be attacked, and what a reader who knows a pin and two signers says of it after a change. */
import { type Digest, digestOf } from '../../src/base/digest.ts';
import { decodeBase64 } from '../../src/base/signature.ts';
import { parseTimeStamp } from '../../src/base/time-stamp.ts';
import { findAnchor } from '../../src/ledger/anchor.ts';
import { parseCheckpoint, parseEntryProof, signersOf } from '../../src/ledger/checkpoint.ts';
import { type EntryOf, isKind, parseEntry } from '../../src/ledger/entry.ts';
import { recordedJournal } from '../../src/store/recorded-journal.ts';
import { bundledLedger } from '../../src/verify/bundle.ts';
import { noDemands } from '../../src/verify/check-trust.ts';
import { type LedgerView, ledgerView } from '../../src/verify/reading.ts';
import { manifestDifferences, parseManifest, runFileNames } from '../../src/verify/record.ts';
import { openStatement } from '../../src/verify/statement.ts';
import { checkRun } from '../../src/verify/verify.ts';
import { archiveTargets } from './archive-targets.ts';
import { remanifested, wholeFiles, withFiles } from './forgery.ts';
import { bytesOf } from './ledger-story.ts';
import { memoryFolder } from './run.ts';
import { confirmed, type Found, readLedger, storeWith, type Target } from './target.ts';
import { memoryTargets } from './trust-targets.ts';
import type { WholeRecord } from './whole-record.ts';

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Bytes of entries after `from`, each naming the one before it again. */
function relinked(log: readonly Uint8Array[], from: number, steps: number): Uint8Array[] {
  const made = [...log];
  for (let at = from + 1; at < Math.min(made.length, from + 1 + steps); at += 1) {
    const before = digestOf(made[at - 1] ?? new Uint8Array());
    made[at] = bytesOf(
      text(made[at] ?? new Uint8Array()).replace(
        /"prev":"sha256:[0-9a-f]{64}"/,
        `"prev":"${before}"`,
      ),
    );
  }
  return made;
}

export async function targetsOf(record: WholeRecord): Promise<readonly Target[]> {
  const { bundle, pin } = record;
  const view = await ledgerView(bundledLedger(bundle), pin);
  return [
    ...[...wholeFiles(bundle.run)].map(([name, bytes]) => runTarget(record, { name, bytes, view })),
    ...bundle.entries.map((_, seq) => entryTarget(record, seq)),
    ...[...bundle.objects].map(([digest, bytes]) => objectTarget(record, digest, bytes)),
    ...[...bundle.notes].map(([name, bytes]) =>
      (name.endsWith('.txt') ? noteTarget : stampTarget)(record, { name, bytes, view }),
    ),
    ...bundle.entries.flatMap(({ entry }) =>
      isKind(entry, 'anchor') ? [anchorTarget(record, entry.body)] : [],
    ),
    statementTarget(record, view),
    proofTarget(record),
    journalTarget(record),
    ...(await archiveTargets(record)),
    ...memoryTargets(record, view),
  ];
}

/** A file of the run folder, the manifest rewritten to fit under `one`; the manifest alone refuses what it does not fit. */
function runTarget({ bundle }: WholeRecord, { name, bytes, view }: Found): Target {
  const isManifest = name === runFileNames.manifest;
  return {
    ...{ kind: `run/${name}`, name: `run/${name}`, bytes },
    fits: isManifest ? ['as-it-is'] : ['as-it-is', 'one'],
    read: (changed, fit, thorough) => {
      const files = (fit === 'one' ? remanifested : withFiles)(bundle.run, { [name]: changed });
      const quick = fit === 'as-it-is' && !thorough && !isManifest;
      if (quick && manifestDifferences(parseManifest(files), files).length > 0)
        return Promise.resolve('refused');
      return Promise.resolve(confirmed(files, view));
    },
  };
}

/** An entry, its successor or all of them made to name it under `one` and `all`. */
function entryTarget(record: WholeRecord, seq: number): Target {
  const { entries, objects } = record.bundle;
  const stored = entries[seq];
  const log = entries.map(({ bytes }) => bytes);
  return {
    ...{
      kind: `entry ${stored?.entry.kind}`,
      name: `ledger/log/${seq}`,
      fits: ['as-it-is', 'one', 'all'],
    },
    bytes: log[seq] ?? new Uint8Array(),
    read: (changed, fit, thorough) => {
      if (!thorough) parseEntry(changed, `${seq}.json`);
      const steps = { 'as-it-is': 0, one: 1, all: log.length }[fit];
      const made = relinked(log.with(seq, changed), seq, steps);
      return readLedger(record, storeWith(made, objects), thorough);
    },
  };
}

/** Objects after one of them was changed: under its new digest, like every object that names it, and so on. */
function renamedObjects(
  objects: ReadonlyMap<Digest, Uint8Array>,
  from: Digest,
  bytes: Uint8Array,
): { readonly objects: Map<Digest, Uint8Array>; readonly names: ReadonlyMap<Digest, Digest> } {
  const names = new Map([[from, digestOf(bytes)]]);
  const made = new Map([...objects].filter(([digest]) => digest !== from));
  made.set(digestOf(bytes), bytes);
  for (const [before, after] of names) {
    if (names.size > objects.size) break; // A change made two objects name each other.
    for (const [digest, content] of [...made].filter(([, each]) => text(each).includes(before))) {
      const changed = bytesOf(text(content).replaceAll(before, after));
      made.delete(digest);
      made.set(digestOf(changed), changed);
      names.set(digest, digestOf(changed));
    }
  }
  return { objects: made, names };
}

/** An object under its new digest in everything that names it under `one`, and the chain mended under `all`. */
function objectTarget(record: WholeRecord, digest: Digest, bytes: Uint8Array): Target {
  const { entries, objects } = record.bundle;
  const log = entries.map((each) => each.bytes);
  return {
    ...{ kind: kindOfObject(record, digest), name: `ledger/objects/${digest}`, bytes },
    fits: ['as-it-is', 'one', 'all'],
    read: (changed, fit, thorough) => {
      if (fit === 'as-it-is') {
        if (!thorough && digestOf(changed) !== digest) return Promise.resolve('refused');
        return readLedger(record, storeWith(log, new Map(objects).set(digest, changed)), thorough);
      }
      const renamed = renamedObjects(objects, digest, changed);
      const named = log.map((each) =>
        bytesOf([...renamed.names].reduce((line, names) => line.replaceAll(...names), text(each))),
      );
      const first = named.findIndex((each, at) => Buffer.compare(each, log[at] ?? each) !== 0);
      const made = fit === 'one' ? named : relinked(named, Math.max(0, first), named.length);
      return readLedger(record, storeWith(made, renamed.objects), thorough);
    },
  };
}

/** What an object is, after the member of the entry that names it. */
function kindOfObject({ bundle }: WholeRecord, digest: Digest): string {
  for (const { entry } of bundle.entries) {
    const [member] = Object.entries(entry.body).find(([, value]) => value === digest) ?? [];
    if (member !== undefined) return `object ${entry.kind}.${member}`;
  }
  return 'object of a branch';
}

/** The note, which both signers must stand behind. */
function noteTarget({ bundle, trust }: WholeRecord, { name, bytes, view }: Found): Target {
  const before = parseCheckpoint(text(bytes));
  return {
    ...{ kind: 'checkpoint', name: `ledger/checkpoints/${name}`, bytes, fits: ['as-it-is'] },
    read: (changed) => {
      const { text: signed } = parseCheckpoint(text(changed));
      const notes = new Map([[name, changed]]);
      const demands = { notes, trust, require: ['signed', 'witnessed'] } as const;
      if (confirmed(bundle.run, view, demands) === 'refused') return Promise.resolve('refused');
      return Promise.resolve(signed === before.text ? 'same' : 'accepted');
    },
  };
}

/** A time stamp beside the ledger, the only outside proof that counts; what is not signed in it may differ, its time may not. */
function stampTarget(record: WholeRecord, { name, bytes, view }: Found): Target {
  const { bundle, authorities } = record;
  const said = (changed: Uint8Array): string | undefined => {
    const stamps = { notes: new Map([[name, changed]]), anchors: { authorities, commits: [] } };
    const log = { ...view, proofs: new Map() };
    const found = checkRun(bundle.run, log, { ...noDemands, ...stamps, require: ['anchored'] });
    return found.ok ? found.checks.at(-1)?.detail : undefined;
  };
  const before = said(bytes);
  return {
    ...{ kind: 'time stamp', name: `ledger/checkpoints/${name}`, bytes, fits: ['as-it-is'] },
    read: (changed) => {
      parseTimeStamp(changed, name);
      const after = said(changed);
      if (after === undefined) return Promise.resolve('refused');
      return Promise.resolve(after === before ? 'same' : 'accepted');
    },
  };
}

/** The proof of an anchor, taken for what the entry names. */
function anchorTarget(
  { bundle, trust, commit, authorities }: WholeRecord,
  body: EntryOf<'anchor'>['body'],
): Target {
  const { entries, objects } = bundle;
  const bytes = objects.get(body.object) ?? new Uint8Array();
  const found = (proof: Uint8Array) =>
    findAnchor(body, { entries, proof }, { keys: trust, authorities, commits: [commit] });
  const before = found(bytes);
  return {
    ...{ kind: `anchor ${body.type}`, name: `proof by ${body.type}`, bytes, fits: ['as-it-is'] },
    read: (changed) => {
      const after = found(changed);
      if (!after.holds) return Promise.resolve('refused');
      return Promise.resolve(before.holds && after.by === before.by ? 'same' : 'accepted');
    },
  };
}

function payloadOf(envelope: Uint8Array): string {
  const { payload } = Object(JSON.parse(text(envelope)));
  return text(decodeBase64(String(payload)) ?? new Uint8Array());
}

/** The statement about the outcome, which both signers must stand behind. */
function statementTarget({ bundle, trust, statement }: WholeRecord, view: LedgerView): Target {
  return {
    ...{ kind: 'statement', name: 'statement', bytes: statement, fits: ['as-it-is'] },
    read: (changed) => {
      openStatement(changed, { trust, file: 's' });
      const demands = { trust, require: ['signed', 'witnessed'] } as const;
      const given = { statement: { file: 's', bytes: changed } };
      const found = confirmed(bundle.run, view, { ...demands, ...given });
      if (found === 'refused') return Promise.resolve(found);
      return Promise.resolve(payloadOf(changed) === payloadOf(statement) ? 'same' : 'accepted');
    },
  };
}

/** The proof of one entry, held to the signers of the note in it. */
function proofTarget({ proof, trust }: WholeRecord): Target {
  const before = parseEntryProof(proof, 'proof');
  return {
    ...{ kind: 'proof', name: 'proof', bytes: proof, fits: ['as-it-is'] },
    read: (changed) => {
      const { entry, root, checkpoint } = parseEntryProof(changed, 'proof');
      const signers =
        checkpoint === null ? [] : signersOf(parseCheckpoint(checkpoint), trust, 'proof');
      if (signers.length < trust.length && root !== before.root) return Promise.resolve('refused');
      return Promise.resolve(entry === before.entry ? 'same' : 'accepted');
    },
  };
}

function journalTarget({ paused }: WholeRecord): Target {
  const name = runFileNames.journal;
  const bytes = paused.files.get(name) ?? new Uint8Array();
  return {
    ...{ kind: 'journal to go on from', name: 'paused/journal.jsonl', bytes, fits: ['as-it-is'] },
    read: (changed) => {
      const folder = memoryFolder();
      for (const [each, content] of withFiles(paused.files, { [name]: changed }))
        folder.write(each, content);
      const { kept } = recordedJournal(folder, paused.owner);
      return Promise.resolve(Buffer.compare(kept, bytes) === 0 ? 'same' : 'accepted');
    },
  };
}
