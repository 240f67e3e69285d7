/**
 * @module
 * The texts beside the marks of a space-time diagram.
 */

import type { Happening } from '../../engine/trace.ts';
import {
  describeEffects,
  describeMessage,
  describeStep,
  endpointName,
  joined,
  shortened,
} from '../../trace/describe.ts';
import type { TraceEvent } from '../../trace/events.ts';
import { leadsAfter } from '../../trace/events.ts';
import type { DiagramPlan } from './layout.ts';
import { columnRanks } from './layout.ts';

/** The text beside an event, and whether its node becomes leader. */
export interface Label {
  readonly text: string;
  readonly isElected: boolean;
}

/** The label of each event of a trace; without text if it is not shown. */
export function labelsOf(
  events: readonly TraceEvent<Happening>[],
  plan: DiagramPlan,
  charactersMax: number,
): Label[] {
  const { store = null, view } = plan;
  const columns = new Set(columnRanks(plan));
  const textOf = (event: TraceEvent<Happening>) => {
    if (view?.shows(event.record) === false) return '';
    const { flight } = event;
    // No arrow shows who has sent it.
    const isFromOutside = flight !== null && !columns.has(flight.from);
    const sender = isFromOutside ? ` from ${endpointName(flight.from, store)}` : '';
    return labelText(event, sender, charactersMax);
  };
  return events.map((event) => {
    const text = textOf(event);
    const { node, wasLeading, record } = event;
    const isElected = node !== null && !wasLeading && leadsAfter(wasLeading, record, node);
    return { text, isElected };
  });
}

/** What arrows, marks and line widths do not show: the cause, and the new leader of the node. */
function labelText(event: TraceEvent<Happening>, sender: string, charactersMax: number): string {
  const { record, node, flight, wasLeading } = event;
  const { action, effects, stopped } = record;
  const cause =
    'node' in action
      ? describeStep({ action, stopped })
      : flight === null
        ? ''
        : `${describeMessage(flight.message)}${sender}`;
  if (node === null) return shortened(cause, charactersMax);
  const turns = effects.filter(({ type }) => type === 'elect' || type === 'step-down');
  const outcome = describeEffects(turns, { node, wasLeading });
  // The answer of a store is long, and the new leader comes after it.
  const room = outcome === '' ? 0 : charactersMax - outcome.length - ': '.length;
  return shortened(joined(room < 4 ? cause : shortened(cause, room), outcome), charactersMax);
}
