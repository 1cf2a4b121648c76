/** The power that a seal holds, simulated again: on demand only, for it takes longer than everything else together. */
import { recomputedPower } from '../gate/power-seal.ts';
import type { CaseIndex } from '../spec/case-index.ts';
import type { SealedExperiment } from '../spec/seal.ts';
import { seedHex } from '../spec/seeds.ts';
import type { Finding } from './checklist.ts';

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(4))} %`;
}

/** Holds the sealed power against the same simulation made now. */
export function checkPower(seal: SealedExperiment, index: CaseIndex): Finding {
  const found = recomputedPower({ seal, index }, seedHex(seal.digests.cases, 'plan'));
  if (found === null) return { detail: 'the seal holds no power: no gate or claim demanded any' };
  const { sealed, now, verdict } = found;
  const shown = `${percent(sealed.rate)} of ${sealed.simulations} simulated decisions ship at an improvement of ${sealed.atEffect}`;
  switch (verdict) {
    case 'equal':
      return { detail: `${shown}, as sealed` };
    case 'within-error':
      return {
        detail: `sealed: ${shown}; this build draws ${percent(now?.rate ?? 0)}, within the Monte Carlo error`,
      };
    case 'different': {
      const again =
        now === null
          ? 'nothing can be simulated for this design'
          : `recomputed: ${percent(now.rate)}, when ${now.assumption}`;
      const accepted = sealed.accepted ? 'missed and accepted' : 'reached';
      return {
        faults: [
          `sealed: ${shown}, when ${sealed.assumption}, the target of ${percent(sealed.target)} ${accepted}; ${again}`,
        ],
      };
    }
  }
}
