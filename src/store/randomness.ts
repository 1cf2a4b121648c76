/** Fresh random words: for fences, which nobody may foresee, for names of drafts, and for nothing that reaches a verdict. */
import { randomBytes } from 'node:crypto';

/** 32 random hex digits. */
export function freshFence(): string {
  return randomBytes(16).toString('hex');
}
