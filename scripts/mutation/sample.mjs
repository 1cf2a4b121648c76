// Which changes of a file are judged where not all of them are: the same ones in every run.
import { createHash } from 'node:crypto';

/** Whether a change is among the share judged; MUTATION_SHARE is from 0 to 1, absent for all of them. */
export function isSampled(mutantId) {
  const share = Number(process.env.MUTATION_SHARE ?? 1);
  const digest = createHash('sha256').update(`liftgate mutation ${mutantId}`).digest();
  return digest.readUInt32BE(0) < share * 2 ** 32;
}
