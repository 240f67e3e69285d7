/**
 * @module
 * What a protocol states about faults: its row of the fault matrix. Each entry says what one fault can do
 * to it, and why.
 *
 * `ok`: safe and live in every run while the fault lasts. `ok/L`: safe, and live once the fault is over.
 * `stop`: safe, but a lost message can leave the run without a leader. `X`: each property in `breaks` is
 * violated in some run, and no other property is. `-`: the fault does not apply.
 */

/** The safety properties of the matrix: S1 to S5, and M (one leader at a moment, by leases). */
export type SafetyProperty = 'S1' | 'S2' | 'S3' | 'S4' | 'S5' | 'M';

/** The faults of the matrix, in its order. */
export const FAULT_NAMES = [
  'drop',
  'duplicate',
  'reorder',
  'delay',
  'clean-majority',
  'one-way',
  'majorities-ring',
  'leader-isolated',
  'swizzle-clog',
  'crash-best',
  'restart',
  'amnesia',
  'pause',
  'clock-skew',
  'clock-jump',
  'fail-over',
  'torn-record',
  'unknown-message',
] as const;

export type FaultName = (typeof FAULT_NAMES)[number];

/** What one fault can do to one protocol. */
export interface FaultCell {
  readonly expected: 'ok' | 'ok/L' | 'stop' | 'X' | '-';
  readonly breaks: readonly SafetyProperty[];
  /** Violations in fewer than one run in 400: allowed, but not required. */
  readonly rarely: readonly (SafetyProperty | 'L')[];
  /** Violated only if nodes start at different moments, or some do not start. All else holds at any start. */
  readonly late: readonly (SafetyProperty | 'L')[];
  /** Whether messages can multiply without end, until the run is stopped. */
  readonly storms: boolean;
  /** Whether two leaders can remain side by side, or nodes can wait for ever, or refuse to return. */
  readonly splits: boolean;
  readonly why: string;
}

export type FaultRow = Readonly<Record<FaultName, FaultCell>>;

type More = Partial<Pick<FaultCell, 'rarely' | 'late' | 'storms' | 'splits'>>;

/** Safe and live. */
export function ok(why: string, more?: More): FaultCell {
  return cell('ok', [], why, more);
}

/** Safe, and live once the fault is over. */
export function live(why: string, more?: More): FaultCell {
  return cell('ok/L', [], why, more);
}

/** Safe, but the election may never finish. */
export function stop(why: string, more?: More): FaultCell {
  return cell('stop', [], why, more);
}

/** Violates these properties in some run. */
export function breaks(what: readonly SafetyProperty[], why: string, more?: More): FaultCell {
  return cell('X', what, why, more);
}

/** The fault does not apply. */
export function none(why: string): FaultCell {
  return cell('-', [], why);
}

function cell(
  expected: FaultCell['expected'],
  what: readonly SafetyProperty[],
  why: string,
  more: More = {},
): FaultCell {
  return {
    expected,
    breaks: what,
    rarely: [],
    late: [],
    storms: false,
    splits: false,
    ...more,
    why,
  };
}
