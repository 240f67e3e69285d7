/**
 * @module
 * A small network for detectors alone: every node's detector, latencies and losses by a function of
 * the message, crashes and returns by list. What happens within a tick: crashes and returns,
 * deliveries in the order of sending, timers in the order of setting.
 */

import type { AnyDetector, DetectorEvent } from '../../../src/election/detectors/detector.ts';
import type { Json, Message, Self } from '../../../src/election/machine.ts';
import { createCast, fromRank, toRank } from '../../../src/election/world/cast.ts';
import type { Random, Seed } from '../../../src/random.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import type { DeliveredReport, UpDownChange } from '../../../src/simulation/detection/detection.ts';

export interface Flight {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  readonly message: Message;
}

export interface DetectorRun {
  readonly nodes: number;
  readonly create: (rank: number) => AnyDetector;
  /** Ticks on the way; null where it is lost. */
  readonly delay: (flight: Flight, random: Random) => number | null;
  readonly lives?: readonly UpDownChange[];
  readonly until: number;
  readonly seed?: Seed;
}

export interface DetectorOutcome {
  readonly words: readonly DeliveredReport[];
  readonly messages: Readonly<Record<string, number>>;
  /** The suspects of each live observer at the end, `observer<suspect`. */
  readonly suspected: readonly string[];
}

type Due = { readonly at: number; readonly class: number; readonly act: () => void };

interface Node {
  readonly rank: number;
  readonly self: Self;
  readonly detector: AnyDetector;
  state: Json;
  isUp: boolean;
  readonly timers: Map<string, number>;
}

export function runDetectors(run: DetectorRun): DetectorOutcome {
  const random = createRandom(run.seed ?? parseSeed('7'), 'detector-network');
  const agenda: Due[] = [];
  const words: DeliveredReport[] = [];
  const messages: Record<string, number> = {};
  const suspected = new Set<string>();
  let timersSet = 0;
  const cast = createCast({
    protocol: 'cr-join',
    timing: { latencyTicksMax: 1 },
    ring: Array.from({ length: run.nodes }, (_, index) => index + 1),
    crashedBefore: [],
  });
  const nodes = Array.from({ length: run.nodes }, (_, index): Node => {
    const self = cast.selfOf(index + 1);
    const detector = run.create(index + 1);
    const state = detector.init(self);
    const idle = { isUp: true, timers: new Map<string, number>() };
    return { rank: index + 1, self, detector, state, ...idle };
  });
  const plan = (at: number, order: number, act: () => void) => {
    let index = agenda.length;
    for (; index > 0; index -= 1) {
      const before = agenda[index - 1];
      if (before === undefined || before.at < at || (before.at === at && before.class <= order)) {
        break;
      }
    }
    agenda.splice(index, 0, { at, class: order, act });
  };
  const step = (node: Node, event: DetectorEvent<Message>, now: number) => {
    const choices: number[] = [];
    const say = (type: 'suspect' | 'trust', about: number) => {
      words.push({ at: now, by: node.rank, about, type });
      if (type === 'suspect') suspected.add(`${node.rank}<${about}`);
      else suspected.delete(`${node.rank}<${about}`);
    };
    const arm = (timer: string, ticks: number, periodic: boolean) => {
      timersSet += 1;
      const token = timersSet;
      node.timers.set(timer, token);
      const fire = (at: number) => {
        if (node.timers.get(timer) !== token) return;
        if (periodic) plan(at + ticks, 2, () => fire(at + ticks));
        else node.timers.delete(timer);
        step(node, { type: 'timeout', timer }, at);
      };
      plan(now + ticks, 2, () => fire(now + ticks));
    };
    node.detector.step(node.self, node.state, event, now, {
      send(to, message) {
        messages[message.type] = (messages[message.type] ?? 0) + 1;
        const target = nodes[fromRank(to) - 1];
        const flight = { from: node.rank, to: fromRank(to), at: now, message };
        const ticks = run.delay(flight, random);
        if (target === undefined || ticks === null) return;
        plan(now + ticks, 1, () => {
          const from = toRank(node.rank);
          if (target.isUp) step(target, { type: 'deliver', from, message }, now + ticks);
        });
      },
      setTimer: arm,
      cancelTimer: (timer) => node.timers.delete(timer),
      choose: (below) => choices.push(random.below(below)),
      suspect: (about) => say('suspect', fromRank(about)),
      trust: (about) => say('trust', fromRank(about)),
    });
    for (const value of choices) step(node, { type: 'chosen', value }, now);
  };
  const change = ({ at, rank, type }: UpDownChange) => {
    const node = nodes[rank - 1];
    if (node === undefined) return;
    node.isUp = type === 'return';
    node.timers.clear();
    for (let about = 1; about <= run.nodes; about += 1) suspected.delete(`${rank}<${about}`);
    if (type === 'crash') return;
    node.state = node.detector.init(node.self);
    step(node, { type: 'recover' }, at);
  };
  for (const life of run.lives ?? []) plan(life.at, 0, () => change(life));
  for (const node of nodes) {
    plan(0, 0, () => {
      if (node.isUp) step(node, { type: 'start' }, 0);
    });
  }
  for (let due = agenda.shift(); due !== undefined && due.at <= run.until; due = agenda.shift()) {
    due.act();
  }
  return { words, messages, suspected: [...suspected].toSorted() };
}
