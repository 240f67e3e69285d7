/**
 * @module
 * The part of the view in which the reader plays a node: joining, what the node received, and what it does.
 */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { contentText } from '../../../../src/simulation/report/sentences.ts';
import { answerOf, api } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import { ChoiceField } from '../../parts/fields.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import { about, counted, percent } from '../../parts/numbers.ts';
import { Progress } from '../../parts/progress.tsx';
import { asksForSignIn } from '../../shell/sign-in.tsx';
import type { Session } from '../session/session.ts';
import type { ElectionNode } from '../session/watch.ts';
import type { MiningProgress } from './mining.ts';
import type { InboxEvent, OutsideEffect } from './own-session.ts';
import { OwnSession } from './own-session.ts';

interface OwnNodeProps {
  readonly session: Session;
  readonly election: Election;
  readonly nodes: readonly ElectionNode[];
}

export function OwnNode({ session, election, nodes }: OwnNodeProps) {
  const own = useMemo(() => new OwnSession(election.id), [election.id]);
  useEffect(() => {
    const controller = new AbortController();
    void own.read(controller.signal);
    return () => {
      controller.abort();
      own.stop();
    };
  }, [own]);
  const error = own.error.value;
  useEffect(() => {
    asksForSignIn(error);
  }, [error]);
  return (
    <section class="own-node panel" aria-labelledby="own-title">
      <h2 id="own-title">
        {own.joined.value === null ? 'Play a node' : `Your node has rank ${own.rank.value ?? '…'}`}
      </h2>
      {own.joined.value === null ? (
        <Join own={own} election={election} nodes={nodes} session={session} />
      ) : (
        <Inbox own={own} election={election} nodes={nodes} session={session} />
      )}
      <ErrorNotice error={error} />
    </section>
  );
}

/** Why the reader cannot join; null if it can. */
function obstacleToJoin({ level, status, newcomers }: Election): string | null {
  if (level === null)
    return 'A node can be played if messages are checked: create an election with a level.';
  if (status !== 'created' && newcomers === 0) {
    return 'Nodes join before the start, or later if the election was created with room for newcomers.';
  }
  return null;
}

function Join({ own, election, nodes, session }: PartProps) {
  const isTop = useSignal(true);
  const obstacle = obstacleToJoin(election);
  const isBarred = obstacle !== null;
  useEffect(() => {
    if (isBarred) own.stop();
  }, [isBarred]);
  if (obstacle !== null) return <p class="hint">{obstacle}</p>;
  const join = async () => {
    await own.join(election, nodes, isTop.value);
    await session.watch.refresh();
  };
  return (
    <>
      <p>
        Your browser makes keys until one has an ID that is admitted. Your node joins with this key.
        The key stays in this tab and signs your messages. You then read what your node receives,
        and choose what it does.
      </p>
      <div class="controls">
        <label class="inline">
          <input
            type="checkbox"
            checked={isTop.value}
            disabled={own.note.value !== null}
            onChange={(event) => {
              isTop.value = event.currentTarget.checked;
            }}
          />
          with an ID above all others
        </label>
        <button type="button" disabled={own.note.value !== null} onClick={() => void join()}>
          {own.note.value ?? 'Mine an ID and join'}
        </button>
      </div>
      {own.mining.value === null ? null : (
        <Search progress={own.mining.value} onStop={() => own.stop()} />
      )}
    </>
  );
}

interface SearchProps {
  readonly progress: MiningProgress;
  readonly onStop: () => void;
}

/** The odds of the search. It goes on until a key is found or the reader stops it. */
function Search({ progress, onStop }: SearchProps) {
  const { tested, perSecond, expected, foundByNow } = progress;
  return (
    <div class="search">
      <p>Such an ID takes {about(expected)} keys on average.</p>
      <Progress
        label="P(found by now)"
        {...{ done: foundByNow, total: 1 }}
        note={`P(found by now) = ${percent(foundByNow)}`}
      />
      <p class="hint">
        {counted(tested, 'key')} tested, {about(perSecond)} a second. Keys that were tested do not
        shorten the search: half of all searches take more than {about(expected * Math.LN2)} keys.
      </p>
      <button type="button" onClick={onStop}>
        Stop the search
      </button>
    </div>
  );
}

function Inbox({ own, election, nodes, session }: PartProps) {
  const events = own.events.value;
  return (
    <>
      <p class="hint">
        Virtual time waits for your answer. It answers all events that are listed here.
      </p>
      {events.length === 0 ? (
        <p>Your node has received nothing that is not answered.</p>
      ) : (
        <ol class="inbox" aria-label="What your node received">
          {events.map((each) => (
            <li key={each.number}>
              tick {each.at}: {inboxText(each)}
            </li>
          ))}
        </ol>
      )}
      <AnswerForm {...{ own, election, nodes, session }} />
    </>
  );
}

/** An event of the inbox in words. */
function inboxText({ event }: InboxEvent): string {
  const { type, ...members } = event;
  if (type === 'deliver') {
    return `node ${String(members['from'])} sends ${contentText(members['message'])}`;
  }
  const words: Readonly<Record<string, string>> = {
    start: 'your node starts',
    timeout: `the timer “${String(members['timer'])}” fires`,
    suspect: `its detector suspects node ${String(members['node'])}`,
    trust: `its detector trusts node ${String(members['node'])} again`,
  };
  return words[type] ?? contentText(event);
}

/** What the reader's node does: sends a message, follows a leader, or nothing. */
interface PartProps {
  readonly own: OwnSession;
  readonly election: Election;
  readonly session: Session;
  readonly nodes: readonly ElectionNode[];
}

type MessageForm = Schema<'Protocol'>['messages'][number];

function AnswerForm({ own, election, session, nodes }: PartProps) {
  const forms = useMessageForms(election.protocol);
  const type = useSignal<string | null>(null);
  const obstacles = useSignal<readonly string[]>([]);
  const form = forms.find((each) => each.type === type.value) ?? forms[0];
  const answer = async (effects: OutsideEffect[]) => {
    obstacles.value = await own.answer(effects, { election, nodes, forms });
    await session.watch.refresh();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // The event is that of the form below.
    const data = new FormData(event.currentTarget as HTMLFormElement);
    if (form !== undefined) void answer([sendOf(form, data)]);
  };
  const rank = own.rank.value;
  return (
    <form class="answer" onSubmit={submit}>
      <div class="controls">
        <ChoiceField
          label="Message"
          value={form?.type ?? ''}
          options={forms.map((each) => each.type)}
          set={(value) => {
            type.value = value;
          }}
        />
        {form?.members.map(({ name, kind }) => (
          <label key={name}>
            {name} ({kind})
            <input
              name={`member-${name}`}
              size={8}
              defaultValue={kind === 'rank' ? String(rank ?? '') : ''}
            />
          </label>
        ))}
        <label>
          to rank, or all
          <input name="to" size={6} defaultValue="all" />
        </label>
        <button type="submit">Send</button>
      </div>
      <div class="controls">
        {rank === null ? null : (
          <button
            type="button"
            onClick={() => void answer([{ type: 'elect', leader: rank, epoch: 0 }])}
          >
            Lead
          </button>
        )}
        <button type="button" onClick={() => void answer([{ type: 'step-down' }])}>
          Follow no leader
        </button>
        <button type="button" onClick={() => void answer([])}>
          Do nothing
        </button>
      </div>
      {obstacles.value.length === 0 ? null : (
        <p role="status">Not processable by {obstacles.value.join('; ')}.</p>
      )}
    </form>
  );
}

/** The messages of a protocol. */
function useMessageForms(protocol: string): readonly MessageForm[] {
  const forms = useSignal<readonly MessageForm[]>([]);
  useEffect(() => {
    const load = async () => {
      const query = { pageSize: '100' };
      const page = await answerOf(api.GET('/v1/protocols', { params: { query } }));
      forms.value = page.items.find(({ name }) => name === protocol)?.messages ?? [];
    };
    load().catch(() => undefined);
  }, [protocol]);
  return forms.value;
}

/** The effect of a filled-in form. A member that is valid JSON is taken as such, any other as text. */
function sendOf(form: MessageForm, data: FormData): OutsideEffect {
  const members = form.members.map(({ name }) => {
    const text = String(data.get(`member-${name}`) ?? '').trim();
    return [name, jsonOr(text)] as const;
  });
  const to = String(data.get('to') ?? 'all').trim();
  const message = { type: form.type, ...Object.fromEntries(members) };
  return { type: 'send', to: /^\d+$/.test(to) ? Number(to) : 'all', message };
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
