/**
 * @module
 * This folder contains the view of designs: sliders for the members of the question, the answer of the server, and what
 * would make possible what is impossible. The address holds the question.
 */

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

import { answerOf, api, ProblemError } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { Progress } from '../parts/progress.tsx';
import { keepInAddress } from '../shell/router.ts';
import { asksForSignIn } from '../shell/sign-in.tsx';
import type { ViewProps } from '../shell/views.ts';
import { Amount } from './amount.tsx';
import { Answer } from './answer.tsx';
import { BitsChart } from './bits-chart.tsx';
import './design.css';
import type { QueryProps } from '../shell/router.ts';
import type { Member } from './members.ts';
import { commandOf, FURTHER, MEMBERS, requestOf, USUAL_PROTOCOL } from './members.ts';
import type { Asked } from './use-answer.ts';
import { useAnswer } from './use-answer.ts';

/** What can be limited. The server says which of them fit a protocol. */
const QUESTIONS = [
  ['adversary-leads', 'the adversary leads'],
  ['leads-more-than-share', 'it leads more often than its share'],
  ['majority-captured', 'it captures a majority'],
  ['no-leader', 'it prevents a leader'],
] as const;

export function View({ query }: ViewProps) {
  const request = requestOf(query);
  const asked = useAnswer(request).value;
  const { answer, error } = asked;
  return (
    <>
      <h1>Design</h1>
      <p>
        How many bits of difficulty limit an adversary, and can honest nodes afford them? Change a
        number, and the answer follows.
      </p>
      <div class="design">
        <form class="question" aria-label="Question" onSubmit={(event) => event.preventDefault()}>
          <Choices query={query} />
          {MEMBERS.map((member) => (
            <Amount key={member.name} {...{ member, query }} fault={faultOf(error, member)} />
          ))}
          <details open={FURTHER.some(({ name }) => (query[name] ?? '') !== '')}>
            <summary>More numbers</summary>
            {FURTHER.map((member) => (
              <Amount key={member.name} {...{ member, query }} fault={faultOf(error, member)} />
            ))}
          </details>
          <Extras query={query} />
        </form>
        <div class="result-side">
          <State asked={asked} isLong={query.check === '1' || query.elections === '1'} />
          {answer === null ? null : (
            <div class={asked.isPending || error !== null ? 'outdated' : undefined}>
              <Answer answer={answer} />
              <BitsChart {...{ request, answer }} />
            </div>
          )}
        </div>
      </div>
      <Equivalent
        command={commandOf(request)}
        request={{ method: 'POST', path: '/v1/designs', body: request }}
      />
    </>
  );
}

/** Why the server refuses this number. Null if it does not. */
function faultOf(error: unknown, { name }: Member): string | null {
  if (!(error instanceof ProblemError)) return null;
  const fault = error.problem.errors?.find(({ pointer }) => pointer.endsWith(`/${name}`));
  return fault?.detail ?? null;
}

/** Says whether the answer is that to the question as it is now. */
function State({ asked, isLong }: { readonly asked: Asked; readonly isLong: boolean }) {
  const { error, isPending } = asked;
  return (
    <div class="state" aria-live="polite">
      {error === null || asksForSignIn(error) ? null : (
        <>
          <ErrorNotice error={error} />
          {asked.answer === null ? null : <p>Below is the last answer.</p>}
        </>
      )}
      {isPending && isLong ? (
        <div class="controls">
          <Progress label="Runs of the design" done={0} total={null} note="running" />
          <button type="button" onClick={() => keepInAddress({ check: null, elections: null })}>
            Cancel the runs
          </button>
        </div>
      ) : null}
      {isPending && !isLong && asked.answer === null ? <p class="loading">Computing…</p> : null}
    </div>
  );
}

function useProtocols(): readonly Schema<'Protocol'>[] {
  const protocols = useSignal<readonly Schema<'Protocol'>[]>([]);
  useEffect(() => {
    answerOf(api.GET('/v1/protocols', { params: { query: { pageSize: '100' } } })).then(
      ({ items }) => {
        protocols.value = items;
      },
      // The question names the protocol also without the list.
      (error: unknown) => void asksForSignIn(error),
    );
  }, []);
  return protocols.value;
}

function Choices({ query }: QueryProps) {
  const protocol = query.protocol ?? USUAL_PROTOCOL;
  const names = useProtocols().map(({ name }): string => name);
  const shown = names.includes(protocol) ? names : [protocol, ...names];
  return (
    <div class="controls">
      <label>
        Protocol
        <select
          value={protocol}
          onChange={({ currentTarget: { value } }) => keepInAddress({ protocol: value })}
        >
          {shown.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label>
        Event to limit
        <select
          value={query.question ?? ''}
          onChange={({ currentTarget: { value } }) => keepInAddress({ question: value })}
        >
          <option value="">the usual one of the protocol</option>
          {QUESTIONS.map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

/** Runs beside the closed form. They take seconds. */
function Extras({ query }: QueryProps) {
  return (
    <fieldset class="extras">
      <legend>Runs beside the closed form</legend>
      <Switch query={query} name="check" label="Compare with sampled runs" />
      <Switch query={query} name="elections" label="Simulate elections to state their cost" />
      <label>
        Defences of these elections
        <input
          value={query.electionDefences ?? ''}
          placeholder="none"
          autocomplete="off"
          onInput={(event) => keepInAddress({ electionDefences: event.currentTarget.value })}
        />
      </label>
    </fieldset>
  );
}

interface SwitchProps extends QueryProps {
  readonly name: 'check' | 'elections';
  readonly label: string;
}

function Switch({ query, name, label }: SwitchProps) {
  return (
    <label class="switch">
      <input
        type="checkbox"
        checked={query[name] === '1'}
        onChange={(event) => keepInAddress({ [name]: event.currentTarget.checked ? 1 : null })}
      />
      {label}
    </label>
  );
}
