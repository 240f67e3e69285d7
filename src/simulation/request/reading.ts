/**
 * @module
 * Reads the text forms of what a caller may state of an election. The message of a refusal begins with "must", so
 * that it can follow the name of a flag or of a member.
 */

import { DETECTOR_NAMES, parseDetector } from '../../election/detectors/registry.ts';
import { LabError } from '../../errors.ts';
import type { LinkFactors } from '../faults/link-factors.ts';
import { LINK_FACTOR_LIMIT } from '../faults/link-factors.ts';
import type { Schedule } from '../faults/schedule.ts';
import { EMPTY_SCHEDULE, parseSchedule } from '../faults/schedule.ts';
import { leaderCrashesIn, parseCrashes } from '../faults/text.ts';
import { TICKS_LIMIT } from '../plan/time-limits.ts';
import { SAVED_RUN_FORMAT } from '../report/saved-run.ts';
import type { DetectorChoice } from './detector-choice.ts';
import { DETECTORS_BESIDE } from './detector-choice.ts';
import type { AskedElection, CalmOption, CrashOption } from './request.ts';

function refuse(rule: string): never {
  throw new LabError('arguments', `must be ${rule}`);
}

/** Different ranks, such as `3,1,2`. */
export function readRanks(text: string): number[] {
  const list = /^\d{1,15}(,\d{1,15})*$/.test(text) ? text.split(',').map(Number) : [0];
  if (!list.every((rank) => rank >= 1)) refuse('ranks such as 3,1,2');
  return new Set(list).size === list.length
    ? list
    : refuse('different ranks, but one appears twice');
}

/** A whole number for each rank, such as `7,9,8`. */
export function readAttributes(text: string): number[] {
  const isList = /^\d{1,15}(,\d{1,15})*$/.test(text);
  return isList
    ? text.split(',').map(Number)
    : refuse('a whole number for each rank, such as 3,1,2');
}

/** `all`, `lowest`, `highest`, or ranks. */
export function readInitiators(text: string): AskedElection['initiators'] {
  if (text === 'all' || text === 'lowest' || text === 'highest') return text;
  return /^\d/.test(text) ? readRanks(text) : refuse('all, lowest, highest or ranks such as 3,1,2');
}

/** `6,5@4` crashes both at tick 4. `6@4,5@9` crashes each at its own tick. `leader@20` crashes the present leader. */
export function readCrash(text: string): CrashOption {
  const { leaders, others } = leaderCrashesIn(text);
  if (leaders.length > 0) {
    return { text, crashes: others === '' ? [] : parseCrashes(others), leaders };
  }
  const items = text.split(',');
  if (items.length > 1 && items.every((item) => item.includes('@'))) {
    return { text, crashes: parseCrashes(text) };
  }
  const [who = '', tick, ...rest] = text.split('@');
  const isNamed = /^(highest$|\d)/.test(who);
  const at = tick === undefined ? null : Number(tick);
  const isTick = tick === undefined || (/^\d{1,15}$/.test(tick) && Number(tick) <= TICKS_LIMIT);
  if (!isNamed || rest.length > 0 || !isTick) {
    refuse(
      `highest or ranks, such as 5,3@20; for different ticks 5@20,3@40; or leader@20; ticks are at most ${TICKS_LIMIT}`,
    );
  }
  const named = who === 'highest' ? ([who] as const) : readRanks(who);
  return { text, crashes: named.map((rank) => ({ rank, at })) };
}

/** A tick at which faults end, such as `300`, `300+2000` or `300:restart`. */
export function readCalm(text: string): CalmOption {
  const [, at, ticks, restart] = /^(\d{1,12})(?:\+(\d{1,12}))?(:restart)?$/.exec(text) ?? [];
  if (at === undefined) return refuse('a tick, such as 300, 300+2000 or 300:restart');
  return {
    at: Number(at),
    ticks: ticks === undefined ? null : Number(ticks),
    restart: restart !== undefined,
  };
}

/** A factor such as `4`, which is drawn in 1..4 for each link, or the factors of links, such as `1>2:5,3>1:2`. */
export function readLinkFactors(text: string): LinkFactors {
  const rule = `a factor such as 4, or links such as 1>2:5,3>1:2; factors are in 1..${LINK_FACTOR_LIMIT}`;
  const factorOf = (digits: string | undefined) => {
    const factor = /^\d{1,15}$/.test(digits ?? '') ? Number(digits) : 0;
    return factor >= 1 && factor <= LINK_FACTOR_LIMIT ? factor : refuse(rule);
  };
  if (!text.includes('>')) return { type: 'seeded', factorMax: factorOf(text) };
  const factors = text.split(',').map((item) => {
    const [, from, to, times] = /^([1-9]\d{0,6})>([1-9]\d{0,6}):(\d+)$/.exec(item) ?? [];
    return { from: Number(from), to: Number(to), factor: factorOf(times) };
  });
  return { type: 'given', factors };
}

/** A detector that observes from outside, or one on the nodes with its options. */
export function readDetector(text: string): DetectorChoice {
  const beside = DETECTORS_BESIDE.find((name) => name === text);
  if (beside !== undefined) return beside;
  if (DETECTOR_NAMES.some((name) => name === text.split(':', 1)[0])) return parseDetector(text);
  const names = [...DETECTORS_BESIDE, ...DETECTOR_NAMES];
  return refuse(
    `one of ${names.join(', ')}; options follow a colon, as in fd-heartbeat:every=10,timeout=35`,
  );
}

/** A schedule in the form of the member `faults` of an answer. `calm` and `detector` can be absent. Throws LabError. */
export function scheduleFrom(value: unknown, nodes: number): Schedule {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const got = Array.isArray(value) ? ', got a list' : '';
    return refuse(`an object such as {"faults": […]}${got}`);
  }
  if ('format' in value && value.format === SAVED_RUN_FORMAT) {
    return refuse('a schedule, but is a saved run; use usurp replay to repeat it');
  }
  const { calm, detector } = EMPTY_SCHEDULE;
  return parseSchedule({ calm, detector, ...value }, nodes);
}
