/**
 * @module
 * The guides as the browser plays them, with their races run in this thread.
 */

import { performance } from 'node:perf_hooks';
import type { Guide } from '../../../server/web/guide/guide.ts';
import { momentsOf } from '../../../server/web/guide/moments.ts';
import { playGuide } from '../../../server/web/guide/play-guide.ts';
import type { FinishedRace } from '../../../server/web/guide/race-scenes.ts';
import { scenesOf } from '../../../server/web/guide/race-scenes.ts';
import { Forger, honestOf } from '../../../server/web/race/contest.ts';
import type { RacePlan } from '../../../server/web/race/plan.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';

const nowSeconds = () => performance.now() / 1000;
const means = {
  clocks: { cpuSeconds: nowSeconds, wallSeconds: nowSeconds },
  kernels: kernelSource(),
};

function raced(plan: RacePlan): FinishedRace {
  const rules = { plan, policy: { ...STRICT_POLICY, c1: plan.c1 } };
  const honest = honestOf(rules, means);
  const forger = new Forger(rules, means);
  for (let isOver = false; !isOver; ) isOver = forger.advance(60);
  return { rules, honest, search: forger.search(), result: forger.result(honest) };
}

/** A guide with its races, and the moments of its parts. */
export function played({ name, races: plans }: Guide) {
  const races = plans.map(raced);
  const guide = playGuide(name, races);
  const moments = guide.parts.map((part) =>
    part.view === 'election'
      ? momentsOf(part.played.events, part.played.nodes)
      : scenesOf(races, part),
  );
  return { ...guide, races, moments };
}
