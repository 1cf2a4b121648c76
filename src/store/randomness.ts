/** Fresh random words: for fences, which nobody may foresee, and for nothing that reaches a verdict. */
import { randomBytes } from 'node:crypto';

/** 32 random hex digits for a fence. */
export function freshFence(): string {
  return randomBytes(16).toString('hex');
}
