/** What a reader keeps for itself, as targets: the memory of this machine (pins), and the lists of keys that count. */
import { fingerprintOf } from '../../src/base/signature.ts';
import { formatNoteKey, parseTrust, type TrustedKey } from '../../src/base/trust.ts';
import { formatPin, parsePin } from '../../src/store/seen-ledgers.ts';
import type { LedgerView } from '../../src/verify/reading.ts';
import { bytesOf } from './ledger-story.ts';
import { confirmed, readLedger, storeWith, type Target } from './target.ts';
import type { WholeRecord } from './whole-record.ts';

/** The pin and the trust list in both of its spellings. */
export function memoryTargets(record: WholeRecord, view: LedgerView): Target[] {
  const { trust } = record;
  const lines = trust.map(
    ({ name, key }) =>
      `${name} namespaces="liftgate" ${key.type} ${Buffer.from(key.blob).toString('base64')} home`,
  );
  return [
    pinTarget(record),
    trustTarget('verifier keys', trust.map(formatNoteKey), { record, view }),
    trustTarget('allowed signers', ['# those who count', ...lines], { record, view }),
  ];
}

/** What a witness remembers, held to a ledger that lost its last entry: either it cannot be read, or it refuses that ledger. */
function pinTarget(record: WholeRecord): Target {
  const { bundle, pin = { size: 0, head: 'sha256:' } } = record;
  const ledger = bundle.entries[0]?.entry.ledger ?? '';
  const log = bundle.entries.map(({ bytes }) => bytes).slice(0, -1);
  return {
    ...{ kind: 'pin', name: 'pin', bytes: formatPin(ledger, pin), fits: ['as-it-is'] },
    read: (changed) => {
      const read = parsePin(changed, ledger, pin.size);
      if (read === null) return Promise.resolve('refused');
      return readLedger({ ...record, pin: read }, storeWith(log, bundle.objects), false);
    },
  };
}

const printsOf = (keys: readonly TrustedKey[]): string =>
  [...new Set(keys.map(({ key }) => fingerprintOf(key)))].sort().join();

/** A list of keys: after a change the note is believed only through the keys that were there before. */
function trustTarget(
  kind: string,
  lines: readonly string[],
  { record, view }: { readonly record: WholeRecord; readonly view: LedgerView },
): Target {
  const { bundle, trust } = record;
  const bytes = bytesOf(`${lines.join('\n')}\n`);
  return {
    ...{ kind, name: kind, bytes, fits: ['as-it-is'] },
    read: (changed) => {
      const keys = parseTrust(new TextDecoder().decode(changed), kind);
      const demands = {
        notes: bundle.notes,
        trust: keys,
        require: ['signed', 'witnessed'],
      } as const;
      if (confirmed(bundle.run, view, demands) === 'refused') return Promise.resolve('refused');
      return Promise.resolve(printsOf(keys) === printsOf(trust) ? 'same' : 'accepted');
    },
  };
}
