/**
 * @module
 * The part of `usurp conform` that visits every order of events of a few nodes: whether a protocol has there what it
 * claims, without faults, under both kinds of timing and whenever its nodes start. A search that reached its limit says
 * so: it proves nothing about the worlds that it did not visit.
 */

import type { CheckResult } from '../../checking/check.ts';
import { check } from '../../checking/check.ts';
import type { CheckRequest } from '../../checking/check-request.ts';
import { searchOptionsOf } from '../../checking/check-request.ts';
import { START_MODES, START_TEXTS } from '../../checking/instance.ts';
import { claimedBy } from '../../checking/properties/registry.ts';
import type { Finding, Subject } from '../../simulation/conform/finding.ts';
import { capped, failed, guarded, held, nameOf } from '../../simulation/conform/finding.ts';
import { requestOf, ringOf } from './request.ts';
import { actionLines, sentenceOf } from './walked-world.ts';

const NODES = 3;
/** Limits of each search. */
const LIMITS = { statesMax: 20_000, bytesMax: 2 ** 28 };
/** Actions of a violation that a finding names. */
const SHOWN_MAX = 30;

/** One finding for each timing and each mode of starts. There is none where the protocol claims nothing. */
export function checkSchedules(subject: Subject): readonly Finding[] {
  return (['synchronous', 'asynchronous'] as const).flatMap((timing) =>
    START_MODES.flatMap((starts) => {
      const protocol = nameOf(subject.protocol.name);
      const request = requestOf({ protocol, ring: ringOf(NODES), timing, starts });
      const properties = claimedBy(subject.protocol, request).filter(
        ({ kind }) => kind !== 'sometimes',
      );
      if (properties.length === 0) return [];
      const name = `keeps what it claims in every order of events (${NODES} nodes, ${timing}, ${START_TEXTS[starts]})`;
      const asked = { ...request, properties: properties.map((property) => property.name) };
      return [guarded(name, () => findingOf(subject, asked, name))];
    }),
  );
}

function findingOf(subject: Subject, request: CheckRequest, name: string): Finding {
  const steps = check(searchOptionsOf(request, LIMITS));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const result = step.value;
  const asked = request.properties.join(', ');
  const { states } = result.counts;
  switch (result.type) {
    case 'exhausted':
      return held(name, `${asked}: every world was visited, ${states}`);
    case 'capped':
      return capped(name, `${asked}: no violation in ${states} worlds; the others are unknown`);
    case 'violated':
      return failed(name, violationText(subject, request, result));
    default:
      return result satisfies never;
  }
}

function violationText(
  { file }: Subject,
  { protocol, timing, starts }: CheckRequest,
  { property, breach, trace }: Extract<CheckResult, { type: 'violated' }>,
): string {
  const lines = actionLines(trace.actions, null);
  const shown = lines.slice(0, SHOWN_MAX).map((line) => `${line.number}. ${sentenceOf(line)}`);
  const more = lines.length > SHOWN_MAX ? `; and ${lines.length - SHOWN_MAX} more actions` : '';
  const load = file === undefined ? '' : ` --load ${file}`;
  const replay = `npx usurp check ${protocol}${load} --nodes ${NODES} --timing ${timing} --starts ${starts} --properties ${property.name}`;
  return `${property.name}: ${breach}: ${shown.join('; ')}${more}; replay: ${replay}`;
}
