/**
 * @module
 * Partitions made while a run goes on, over whatever network it has. What is sent over a cut is lost;
 * what is on the way when the cut comes still arrives, as under a scheduled partition. Latencies are
 * drawn for lost messages too, so that those of all others are what they would have been.
 */

import type { Flight } from '../engine/flights.ts';
import { createFifoLinks } from '../engine/links.ts';
import type { Fate, Network } from '../engine/network.ts';
import type { IsCut } from '../faults/cuts.ts';
import { createCut } from '../faults/cuts.ts';
import type { Cut } from '../faults/schedule.ts';

export interface LiveCuts {
  readonly count: number;
  readonly isCut: IsCut;
  add(cut: Cut): void;
  /** Takes all of them away. */
  clear(): void;
}

/** No cuts yet, among ranks 1..nodes. */
export function createLiveCuts(nodes: number): LiveCuts {
  let cuts: readonly IsCut[] = [];
  return {
    get count() {
      return cuts.length;
    },
    isCut: (from, to) => cuts.some((isCut) => isCut(from, to)),
    add(cut) {
      cuts = [...cuts, createCut(cut, nodes)];
    },
    clear() {
      cuts = [];
    },
  };
}

/** The network with these cuts over it. */
export function underCuts(network: Network, cuts: LiveCuts): Network {
  return {
    isCut: (now, from, to) => cuts.isCut(from, to) || network.isCut(now, from, to),
    route(now, from, to) {
      const fate = network.route(now, from, to);
      if (!cuts.isCut(from, to)) return fate;
      fate.lost = true;
      fate.copyAt = 0;
      return fate;
    },
  };
}

export interface PlainLinks {
  /** Draws one message's latency. */
  readonly delay: () => number;
  readonly endpoints: number;
  /** Whether no message may overtake another on its link. */
  readonly orderLinks: boolean;
  /** What is on the way, behind which later messages of its links arrive. */
  readonly flights: Iterable<Flight>;
}

/** What an engine without a network does with a message, as a network: every one arrives once. */
export function plainNetwork({ delay, endpoints, orderLinks, flights }: PlainLinks): Network {
  const inOrder = orderLinks ? createFifoLinks(endpoints) : null;
  if (inOrder !== null) for (const { from, to, due } of flights) inOrder(from, to, due);
  const fate: Fate = { lost: false, at: 0, copyAt: 0 };
  return {
    isCut: () => false,
    route(now, from, to) {
      const due = now + delay();
      fate.lost = false;
      fate.at = inOrder === null ? due : inOrder(from, to, due);
      return fate;
    },
  };
}
