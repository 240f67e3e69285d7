/**
 * @module
 * Seeded bugs of the failure detectors, and the check that kills each.
 */

import type { CheckName } from './checks.ts';
import type { Mutant } from './mutation.ts';

export const DETECTOR_MUTANTS = [
  {
    name: 'phi-akka-coefficient',
    bug: 'A zero is missing in the cubic term of the logistic approximation.',
    file: 'src/election/detectors/phi.ts',
    oldText: '0.070566 * y * y',
    newText: '0.70566 * y * y',
    killedBy: 'phi: three formulas',
  },
  {
    name: 'phi-natural-logarithm',
    bug: 'Of exponential arrivals φ is in nats, 2.3 times too suspicious.',
    file: 'src/election/detectors/phi.ts',
    oldText: 'return elapsedTicks / mean / Math.LN10;',
    newText: 'return elapsedTicks / mean;',
    killedBy: 'phi: three formulas',
  },
  {
    name: 'phi-sample-deviation',
    bug: 'The deviation is that of a sample, not of the window.',
    file: 'src/election/detectors/arrivals.ts',
    oldText: 'squaresAround(meanOf(intervals), intervals) / intervals.length',
    newText: 'squaresAround(meanOf(intervals), intervals) / (intervals.length - 1)',
    killedBy: 'accrual: what a window says',
  },
  {
    name: 'accrual-window-grows',
    bug: 'Nothing leaves the window, the first guess included.',
    file: 'src/election/detectors/arrivals.ts',
    oldText: '  if (intervals.length > rule.windowIntervals) intervals.shift();\n',
    newText: '',
    killedBy: 'accrual: what a window says',
  },
  {
    name: 'akka-learns-suspicions',
    bug: 'The interval that ended a suspicion is learnt: one long pause makes it blind.',
    file: 'src/election/detectors/arrivals.ts',
    oldText: '(interval) >= rule.threshold) return;',
    newText: '(interval) > Number.POSITIVE_INFINITY) return;',
    killedBy: 'accrual: what late beats teach',
  },
  {
    name: 'accrual-no-ceiling',
    bug: 'Whatever a late beat teaches is learnt.',
    file: 'src/election/detectors/arrivals.ts',
    oldText: 'intervals.push(Math.min(interval, rule.intervalTicksMax));',
    newText: 'intervals.push(interval);',
    killedBy: 'accrual: what late beats teach',
  },
  {
    name: 'heartbeat-out-of-turn',
    bug: 'A beat counts however late it is.',
    file: 'src/election/detectors/beats.ts',
    oldText: '  if (seq <= peer.seq) return;\n',
    newText: '',
    killedBy: 'fd-heartbeat: late beats',
  },
  {
    name: 'count-begins-at-one',
    bug: 'A later life counts from 1 again, and nobody hears it.',
    file: 'src/election/detectors/detector.ts',
    oldText: 'return Math.max(count + 1, now);',
    newText: 'return count + 1;',
    killedBy: 'fd-heartbeat: a later life',
  },
  {
    name: 'heartbeat-never-more-patient',
    bug: 'A time-out that was too short stays so.',
    file: 'src/election/detectors/fd-heartbeat.ts',
    oldText: 'memory.timeoutTicks = Math.max(memory.timeoutTicks, doubled);',
    newText: 'memory.timeoutTicks = Math.min(memory.timeoutTicks, doubled);',
    killedBy: 'fd-heartbeat: mistakes end',
  },
  {
    name: 'gossip-takes-any-count',
    bug: 'A table is taken over as it is, lower counts too.',
    file: 'src/election/detectors/fd-gossip.ts',
    oldText: '  if (count <= peer.count) return;\n',
    newText: '',
    killedBy: 'fd-gossip: the dead stay suspected',
  },
  {
    name: 'gossip-forgets-at-once',
    bug: 'The count of a suspect is forgotten, and an old table brings it back.',
    file: 'src/election/detectors/fd-gossip.ts',
    oldText: 'silentTicks >= options.cleanupTicks',
    newText: 'silentTicks >= options.failTicks',
    killedBy: 'fd-gossip: the dead stay suspected',
  },
  {
    name: 'choices-crossed',
    bug: 'A number that was drawn for the protocol goes to its detector, and the other way round.',
    file: 'src/election/detectors/detecting.ts',
    oldText: 'state.askers.shift()',
    newText: 'state.askers.pop()',
    killedBy: 'detecting: who asked for a choice',
  },
] as const satisfies readonly (Mutant & { readonly killedBy: CheckName })[];
