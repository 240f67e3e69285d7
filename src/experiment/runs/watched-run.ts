/**
 * @module
 * Runs whose elections are watched tick by tick, because nodes misbehave or something fails. The identities
 * of the run get their ranks. Each election is staged from its own seed, watched to the end, and judged by
 * the honest live nodes.
 */

import type { ProtocolName } from '../../election/registry.ts';
import { LabError } from '../../errors.ts';
import { deriveSeed } from '../../random.ts';
import type { Detection } from '../../simulation/detection/detection.ts';
import { WATCHED_NODES_MAX } from '../document/limits.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { PROPERTIES } from '../properties/registry.ts';
import type { Sighting } from '../properties/sighting.ts';
import { createStaging } from '../staging/model-stage.ts';
import { readScript } from '../staging/script.ts';
import type { Stage } from '../staging/stage.ts';
import type { Watch } from '../staging/watch.ts';
import { watchAttack } from '../staging/watch.ts';
import type { HeldElection } from './held-election.ts';
import type { Observations } from './observations.ts';
import { grouped, protocolGroupsOf } from './protocol-groups.ts';
import type { Owners, Side } from './registration.ts';
import { electedBy, sidesOf } from './registration.ts';
import type { Judge } from './runner.ts';

/** What was seen of one election. */
interface Watched {
  readonly protocol: ProtocolName;
  readonly held: HeldElection;
  readonly seen: Watch;
  /** What the detectors on the nodes reported. Null without detectors, and if it was too much. */
  readonly detection: Detection | null;
}

/**
 * Judges runs by watching. It throws LabError `job.size` for a run that is too large to watch, or that sends more
 * than `messagesMax` messages.
 */
export function watchedJudge(model: ThreatModel, messagesMax?: number): Judge {
  const stage = createStaging(model, readScript(model));
  const { judges } = PROPERTIES[model.expect.property];
  const { protocols } = model.network.election;
  const groups = protocolGroupsOf(model);
  const sides = sidesOf(model);
  return (owners, runSeed) => {
    assertWatchable(owners.length);
    const all = protocols.map((protocol) =>
      watch(protocol, {
        ...stage({ protocol, owners, seed: deriveSeed(runSeed, 'election', protocol) }),
        messagesMax,
      }),
    );
    return grouped(groups, all).map((watched) => ({
      won: sides.some((side) =>
        watched.every(
          (each) => judges.watched?.(seenFor(side, each, owners), owners.length) === true,
        ),
      ),
      elections: watched.map(({ protocol, held, seen: { leader, messages } }) => {
        return { protocol, ...electedBy(owners, leader), messages, held };
      }),
      observations: observedInAll(watched),
    }));
  };
}

/** What was seen as a side sees it: of adversaries, only its own nodes count. */
function seenFor(side: Side, { seen, held }: Watched, owners: Owners): Sighting {
  const isOwn = (rank: number) => side.has(owners[rank - 1] ?? '');
  const usurped = [...seen.usurpedTicksOf].filter(([rank]) => isOwn(rank));
  return {
    ...seen,
    usurpedTicks: usurped.reduce((sum, [, ticks]) => sum + ticks, 0),
    isUsurped: seen.isUsurped && seen.leader !== null && isOwn(seen.leader),
    adversaryNodes: (held.options.byzantine ?? []).filter(({ rank }) => isOwn(rank)).length,
  };
}

function assertWatchable(nodes: number): void {
  if (nodes <= WATCHED_NODES_MAX) return;
  const detail =
    `this run has ${nodes} nodes, but elections with behaviours or faults are watched among at most ` +
    `${WATCHED_NODES_MAX}: use fewer honest nodes or identities`;
  throw new LabError('job.size', detail);
}

function watch(protocol: ProtocolName, stage: Stage): Watched {
  let detection: Detection | null = null;
  const seen = watchAttack(stage, undefined, (simulation) => {
    if (stage.options.detector !== undefined) detection = simulation.detection();
  });
  const held = { options: stage.options, until: stage.ticks };
  if (seen.brokenOffAt === null) return { protocol, held, seen, detection };
  const detail =
    `an election of ${protocol} among ${stage.options.nodes} nodes is too large to watch: it was stopped ` +
    `at tick ${seen.brokenOffAt} of ${stage.ticks} after ${seen.messages} messages; ` +
    'use fewer nodes or a lower network.election.ticks';
  throw new LabError('job.size', detail);
}

/**
 * The sums over the elections of a group. `detectionTicks`, from a crash to a suspicion, is the mean over all
 * detections, and is missing if no crashed node was suspected.
 */
function observedInAll(all: readonly Watched[]): Observations {
  const sum = <T>(items: readonly T[], value: (item: T) => number) =>
    items.reduce((total, item) => total + value(item), 0);
  const observed = {
    ticks: sum(all, ({ seen }) => seen.ticks),
    usurpedTicks: sum(all, ({ seen }) => seen.usurpedTicks),
    splitTicks: sum(all, ({ seen }) => seen.splitTicks),
    agreedTicks: sum(all, ({ seen }) => seen.longestAgreedTicks),
    staleWrites: sum(all, ({ seen }) => seen.staleWrites),
    lateWrites: sum(all, ({ seen }) => seen.lateWrites),
  };
  const reports = all.flatMap(({ detection }) => (detection === null ? [] : [detection]));
  if (reports.length === 0) return observed;
  const mistakes = sum(reports, (each) => each.mistakes.count);
  const count = sum(reports, ({ detections }) => detections.count);
  if (count === 0) return { ...observed, mistakes };
  const ticks = sum(reports, ({ detections }) => detections.count * (detections.meanTicks ?? 0));
  return { ...observed, mistakes, detectionTicks: ticks / count };
}
