/** Texts of cases beside their experiments, by the case index that they give, and the indexes that the plans of a ledger seal. */
import { type Digest, digestOf } from '../base/digest.ts';
import { LiftgateError } from '../base/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { formatCaseIndex } from '../spec/seal-plan.ts';
import type { TextsAtHand } from '../verify/across.ts';
import { loadExperiment } from './experiment-folder.ts';
import { readSeal } from './seal-experiment.ts';

/**
 * Reads experiment folders for their texts; what they must be is what the seals say.
 *
 * @param ledger   a sound ledger
 * @param folders  experiment files or their folders
 * @throws {LiftgateError} file-unreadable, spec-invalid  for a folder that cannot be read
 */
export async function textsAtHand(
  ledger: Ledger,
  folders: readonly string[],
): Promise<TextsAtHand> {
  const read = await Promise.all(
    folders.map(async (folder) => {
      const { spec, index, cases } = await loadExperiment(folder, { candidates: 'open' });
      const texts = { experiment: spec.name, cases, ignore: spec.fingerprint.ignore };
      return [digestOf(formatCaseIndex(index)), texts] as const;
    }),
  );
  return { byIndex: new Map(read), indexOf: await sealedIndexes(ledger) };
}

async function sealedIndexes(ledger: Ledger): Promise<ReadonlyMap<Digest, Digest>> {
  const found = new Map<Digest, Digest>();
  for (const { plan } of (await ledger.state()).experiments.values()) {
    try {
      found.set(plan, (await readSeal(ledger, plan)).dataset.cases.object);
    } catch (error) {
      // A plan of another version, or one whose object is gone: its texts are not at hand, whatever lies in the folders.
      if (!(error instanceof LiftgateError)) throw error;
    }
  }
  return found;
}
