/**
 * @module
 * What the reader's node does: sends a message, follows a leader, or nothing.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api } from '../../api/client.ts';
import type { Election, Schema } from '../../api/contract.ts';
import type { Session } from '../session/session.ts';
import type { ElectionNode } from '../session/watch.ts';
import type { OutsideEffect, OwnSession } from './own-session.ts';

export interface PartProps {
  readonly own: OwnSession;
  readonly election: Election;
  readonly session: Session;
  readonly nodes: readonly ElectionNode[];
}

type MessageForm = Schema<'Protocol'>['messages'][number];

export function AnswerForm({ own, election, session, nodes }: PartProps) {
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
        <label>
          Message
          <select
            value={form?.type ?? ''}
            onChange={(event) => {
              type.value = event.currentTarget.value;
            }}
          >
            {forms.map((each) => (
              <option key={each.type}>{each.type}</option>
            ))}
          </select>
        </label>
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
