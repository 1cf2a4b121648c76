/** Bundles for tests: of a settled run, and one as small as a bundle can be. */
import { canonicalLine } from '../../src/base/canonical.ts';
import { wholeBytes } from '../../src/base/content.ts';
import { formatTar, parseTar, type TarMember } from '../../src/base/tar.ts';
import { memoryLedger } from '../../src/ledger/memory-ledger.ts';
import { materialOf } from '../../src/spec/seal.ts';
import { type Bundle, bundledLedger, gatherBundle } from '../../src/verify/bundle.ts';
import { type Demands, noDemands } from '../../src/verify/check-trust.ts';
import { ledgerView } from '../../src/verify/reading.ts';
import { buildManifest, formatManifest, runFileNames } from '../../src/verify/record.ts';
import { checkRun, type Verification } from '../../src/verify/verify.ts';
import { bytesOf, countingPorts, digestNamed, recordPlan } from './ledger-story.ts';
import { mailsExperiment, mailsFiles } from './run.ts';

/** Half the mails and one candidate: enough to ship, small enough to mangle. */
export const smallMails = {
  'experiment.yaml': mailsExperiment.replace(/ {4}same: .*\n/, ''),
  'cases.jsonl': (mailsFiles()['cases.jsonl'] ?? '').replace(/.*"m(?:9|10|15|16)".*\n/g, ''),
};

/** A bundle of two entries and two run files; its parts fit each other, its run is none. */
export async function tinyBundle(): Promise<Bundle> {
  const ledger = memoryLedger(countingPorts());
  await recordPlan(ledger, 'tiny');
  const summary = bytesOf('Nothing ran.\n');
  const run = new Map([[runFileNames.summary as string, summary]]);
  const manifest = formatManifest(buildManifest('tiny', digestNamed('seal'), run));
  run.set(runFileNames.manifest, bytesOf(manifest));
  return gatherBundle(run, ledger, new Map());
}

/** Text of a member. */
export function textOf(member: TarMember | undefined): string {
  return new TextDecoder().decode(wholeBytes(member?.bytes ?? new Uint8Array()));
}

/** The archive after somebody changed its members and made the index fit: what an attacker hands in. */
export function repacked(
  archive: Uint8Array,
  change: (members: readonly TarMember[]) => readonly TarMember[],
): Uint8Array {
  const [index, ...members] = parseTar(archive, 'bundle');
  const changed = [...change(members)].sort((first, second) => (first.path < second.path ? -1 : 1));
  const files = changed.map(({ path, bytes }) => materialOf(path, bytes));
  const written = JSON.parse(textOf(index));
  const fitting = bytesOf(canonicalLine({ ...written, files }));
  return formatTar([{ path: 'bundle.json', bytes: fitting }, ...changed]);
}

/** Checks the run of a bundle against its own ledger. */
export async function checkBundle(
  bundle: Bundle,
  demands: Partial<Demands> & { readonly pin?: { size: number; head: `sha256:${string}` } } = {},
): Promise<Verification> {
  const { pin, ...rest } = demands;
  const view = await ledgerView(bundledLedger(bundle), pin);
  return checkRun(bundle.run, view, { ...noDemands, notes: bundle.notes, ...rest });
}
