/**
 * @module
 * The strict reading of a schedule that came from outside, a file or a request. Refuses with LabError
 * `schema`, each fault with its JSON pointer: unknown members, values out of range, ranks that are
 * not in 1..nodes, windows that end before they begin, faults after the calm.
 */

import type { Check, Note } from './json-check.ts';
import {
  assertChecked,
  integer,
  list,
  members,
  nullOr,
  oneOf,
  share,
  truth,
  variants,
} from './json-check.ts';
import { LATENCY_TICKS_LIMIT } from './latency.ts';
import type { Schedule } from './schedule.ts';
import { absentAtFirst, SCHEDULED_FAULTS_LIMIT, SKEW_LIMIT } from './schedule.ts';

/** A tick of a schedule; ten of them fit into the bound on a run's ticks. */
export const SCHEDULE_TICKS_LIMIT = 100_000_000_000;

/** The schedule in a JSON value, for elections among ranks 1..nodes. Throws LabError `schema`. */
export function parseSchedule(value: unknown, nodes: number): Schedule {
  assertChecked('schedule', value, scheduleCheck(nodes));
  const schedule = value as Schedule; // Every member of it has just been checked.
  assertChecked('schedule', schedule, (_value, _path, note) => {
    noteContradictions(schedule, nodes, note);
  });
  return schedule;
}

/** What no single member shows: order in time, and somebody must be there at first. */
function noteContradictions({ faults, calm }: Schedule, nodes: number, note: Note): void {
  const joined = new Set<number>();
  for (const [index, fault] of faults.entries()) {
    const path = ['faults', index];
    const begin = 'at' in fault ? fault.at : 'from' in fault ? fault.from : 0;
    if (calm !== null && begin >= calm.at && fault.type !== 'restart') {
      note(path, `begins at ${begin}, when calm has come`);
    }
    if ('to' in fault && fault.to !== null && fault.to <= fault.from) {
      note([...path, 'to'], `is after from, ${fault.from}`);
    }
    const joins = fault.type === 'join' ? [fault.rank] : fault.type === 'churn' ? fault.joins : [];
    for (const rank of joins) {
      if (joined.has(rank)) note(path, `${rank} joins twice`);
      joined.add(rank);
    }
  }
  if (absentAtFirst({ faults, calm, detector: 'crashes' }).length >= nodes) {
    note(['faults'], 'leave nobody there at first');
  }
}

function scheduleCheck(nodes: number): Check {
  return members({
    faults: list(faultCheck(nodes), SCHEDULED_FAULTS_LIMIT),
    calm: nullOr(members({ at: ticks(1), ticks: ticks(0), restart: truth })),
    detector: oneOf('crashes', 'links'),
  });
}

function faultCheck(nodes: number): Check {
  const rank = integer(1, nodes);
  const window = { from: ticks(0), to: nullOr(ticks(0)) };
  return variants('type', {
    crash: { rank, at: ticks(0) },
    restart: { rank, at: ticks(0), amnesia: truth },
    pause: { rank, from: ticks(0), to: ticks(0) },
    join: { rank, at: ticks(0) },
    partition: { cut: cutCheck(rank, nodes), ...window },
    loss: { share, ...window },
    duplication: { share, ...window },
    reordering: { share, ticksMax: integer(1, LATENCY_TICKS_LIMIT), ...window },
    blackout: window,
    slowdown: { factor: integer(1, LATENCY_TICKS_LIMIT), ...window },
    skew: { rank, numerator: integer(1, SKEW_LIMIT), denominator: integer(1, SKEW_LIMIT) },
    churn: {
      from: ticks(0),
      to: ticks(0),
      ticksMean: ticks(1),
      amnesiaShare: share,
      joins: list(rank, nodes),
    },
  });
}

function cutCheck(rank: Check, nodes: number): Check {
  const link: Check = (value, path, note) => {
    list(rank, 2)(value, path, note);
    if (!Array.isArray(value) || value.length !== 2 || value[0] === value[1]) {
      note(path, 'is two ranks that differ');
    }
  };
  return variants('kind', {
    isolate: { rank },
    halves: {},
    minority: {},
    'majorities-ring': {},
    'one-way': { from: rank, to: rank },
    links: { links: list(link, nodes * nodes) },
  });
}

function ticks(min: number): Check {
  return integer(min, SCHEDULE_TICKS_LIMIT);
}
