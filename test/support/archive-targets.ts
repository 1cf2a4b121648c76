/** Bundles and exports as targets: as files, of which every byte is the one that is written, and their indexes by themselves. */
import { wholeBytes } from '../../src/base/content.ts';
import { formatTar, parseTar } from '../../src/base/tar.ts';
import { type Bundle, bundledLedger, formatBundle, parseBundle } from '../../src/verify/bundle.ts';
import { formatExport, parseExport } from '../../src/verify/ledger-export.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { tinyBundle } from './bundles.ts';
import { confirmed, type Target } from './target.ts';
import type { WholeRecord } from './whole-record.ts';

const asItIs = ['as-it-is'] as const;

/** The whole record in archives, and archives as small as they can be, whose every byte can be tried. */
export async function archiveTargets(record: WholeRecord): Promise<Target[]> {
  const tiny = await tinyBundle();
  return [
    bundleTarget('bundle', record),
    indexTarget('bundle index', formatBundle(record.bundle), parseBundle),
    exportTarget('export', record),
    indexTarget('export index', formatExport(record.bundle), parseExport),
    tinyTarget('small bundle', formatBundle(tiny), parseBundle),
    tinyTarget('small export', formatExport(tiny), parseExport),
  ];
}

type Read = (archive: Uint8Array, file: string) => unknown;

function bundleTarget(kind: string, { bundle, pin }: WholeRecord): Target {
  return {
    ...{ kind, name: 'bundle.tar', bytes: formatBundle(bundle), fits: asItIs },
    read: async (changed) => {
      const read: Bundle = parseBundle(changed, kind);
      return confirmed(read.run, await ledgerView(bundledLedger(read), pin));
    },
  };
}

function exportTarget(kind: string, { bundle, pin }: WholeRecord): Target {
  return {
    ...{ kind, name: 'export.tar', bytes: formatExport(bundle), fits: asItIs },
    read: async (changed) => {
      const read = parseExport(changed, kind);
      const { problems } = await ledgerView(bundledLedger(read), pin);
      return problems.length === 0 ? 'accepted' : 'refused';
    },
  };
}

/** The index changed, and packed again as it must be. */
function indexTarget(kind: string, archive: Uint8Array, read: Read): Target {
  const [index = { path: '', bytes: archive }, ...held] = parseTar(archive, kind);
  return {
    ...{ kind, name: index.path, bytes: wholeBytes(index.bytes), fits: asItIs },
    read: (changed) => {
      read(formatTar([{ ...index, bytes: changed }, ...held]), kind);
      return Promise.resolve('accepted');
    },
  };
}

/** Already reading it refuses every change. */
function tinyTarget(kind: string, archive: Uint8Array, read: Read): Target {
  return {
    ...{ kind, name: `${kind}.tar`, bytes: archive, fits: asItIs },
    read: (changed) => {
      read(changed, kind);
      return Promise.resolve('accepted');
    },
  };
}
