/**
 * @module
 * One event or message in words: what happened, what the message was, whether it was accepted, and what the recipient
 * did.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { capitalized } from '../../../../src/printable.ts';
import {
  contentText,
  effectSentences,
  eventSentence,
  nodeName,
  refusalText,
  sealText,
} from '../../../../src/simulation/report/sentences.ts';
import { follow } from '../../api/follow.ts';
import type { Spot } from '../diagram/diagram.tsx';
import type { History } from '../session/history.ts';
import { fateText } from '../session/sentences.ts';
import type { ElectionEvent } from '../timeline/timeline.ts';

interface EventPanelProps {
  readonly watch: History;
  /** What is under the pointer, or else the newest event that is shown; null for none. */
  readonly spot: Spot | null;
  readonly isChecked: boolean;
}

export function EventPanel({ watch, spot, isChecked }: EventPanelProps) {
  return (
    <section class="event-panel panel" aria-labelledby="event-title">
      {spot === null ? (
        <>
          <h2 id="event-title">Event</h2>
          <p class="hint">Nothing has happened yet.</p>
        </>
      ) : spot.type === 'event' ? (
        <EventText watch={watch} seq={spot.seq} isChecked={isChecked} />
      ) : (
        <MessageText watch={watch} message={spot.message} isChecked={isChecked} />
      )}
    </section>
  );
}

interface EventTextProps {
  readonly watch: History;
  readonly seq: number;
  readonly isChecked: boolean;
}

function EventText({ watch, seq, isChecked }: EventTextProps) {
  const event = useEvent(watch, seq);
  const { message, t } = watch.timeline.event(seq);
  const effects = event === null ? [] : effectSentences(event.effects);
  return (
    <>
      <h2 id="event-title">
        Event {seq + 1} at {watch.timeUnit === 'ms' ? `${t} ms` : `tick ${t}`}
      </h2>
      {event === null ? <p class="hint">Loading…</p> : <p>{eventSentence(event, watch.store)}</p>}
      {message === null ? null : <Content watch={watch} message={message} />}
      {event === null ? null : <Checks event={event} isChecked={isChecked} />}
      {event === null || !isReaction(event, effects) ? null : (
        <Reaction name={nodeName(event.node, watch.store)} effects={effects} />
      )}
    </>
  );
}

/** Whether it says something that the node did this or nothing. A node that crashes does nothing. */
function isReaction(event: ElectionEvent, effects: readonly string[]): boolean {
  if (typeof event.node !== 'number' || event.outline) return false;
  return effects.length > 0 || event.event === 'message.delivered';
}

/** Whether the recipient accepted the message of an event. */
function Checks({
  event,
  isChecked,
}: {
  readonly event: ElectionEvent;
  readonly isChecked: boolean;
}) {
  if (event.event !== 'message.delivered' || event.outline) return null;
  const { refused } = event;
  if (refused !== undefined)
    return <p class="checks refused">✗ Refused: {refusalText(refused)}.</p>;
  return (
    <p class="checks">
      {isChecked ? '✓ Accepted by all checks of the level.' : 'Messages are not checked.'}
    </p>
  );
}

function Reaction({
  name,
  effects,
}: {
  readonly name: string;
  readonly effects: readonly string[];
}) {
  if (effects.length === 0) return <p>{capitalized(name)} does nothing.</p>;
  return (
    <>
      <p>{capitalized(name)}:</p>
      <ul class="effects">
        {effects.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: effects have no other identity
          <li key={index}>{each}</li>
        ))}
      </ul>
    </>
  );
}

function MessageText({
  watch,
  message,
  isChecked,
}: {
  readonly watch: History;
  readonly message: number;
  readonly isChecked: boolean;
}) {
  const row = watch.timeline.message(message);
  const end = useEvent(watch, row.ended);
  return (
    <>
      <h2 id="event-title">Message {row.id}</h2>
      <Content watch={watch} message={message} />
      <p>
        From {nodeName(row.from, watch.store)} to {nodeName(row.to, watch.store)}, sent in event{' '}
        {row.sent + 1}, {fateText(row)}.
      </p>
      {end === null ? null : <Checks event={end} isChecked={isChecked} />}
      {end === null || row.fate !== 'delivered' ? null : (
        <Reaction name={nodeName(row.to, watch.store)} effects={effectSentences(end.effects)} />
      )}
    </>
  );
}

/** The content of a message, from the event that sent it. */
function Content({ watch, message }: { readonly watch: History; readonly message: number }) {
  const { sent, id, type } = watch.timeline.message(message);
  const event = useEvent(watch, sent);
  const effect = event?.effects.find((each) => each['id'] === id);
  const body = effect?.['message'] ?? effect?.['operation'];
  const seal = sealText(body);
  return (
    <p>
      <code class="content">
        {body === undefined ? watch.timeline.types[type] : contentText(body)}
      </code>
      {seal === null ? null : ` ${seal}`}
    </p>
  );
}

/** The whole event: one that is not kept is fetched. */
function useEvent(watch: History, seq: number | null): ElectionEvent | null {
  const fetched = useSignal<ElectionEvent | null>(null);
  const kept = seq === null ? null : watch.details.event(seq);
  const isMissing = seq !== null && kept === null && seq < watch.timeline.length;
  useEffect(() => {
    fetched.value = null;
    if (!isMissing || seq === null) return undefined;
    const controller = new AbortController();
    const path = watch.eventsPath;
    const onLines = (lines: readonly ElectionEvent[]) => {
      fetched.value = lines.find((line) => line.seq === seq) ?? null;
      controller.abort();
    };
    follow<ElectionEvent>({ path, after: seq - 1, signal: controller.signal, onLines }).catch(
      () => undefined,
    );
    return () => controller.abort();
  }, [seq, isMissing]);
  return kept ?? (fetched.value?.seq === seq ? fetched.value : null);
}
