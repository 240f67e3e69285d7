/**
 * @module
 * The form of a check. Its values are in the address, so that a check can be shared before it is submitted.
 */

import { answerOf, api, readProtocols } from '../api/client.ts';
import type { Schema } from '../api/contract.ts';
import { once } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { Choice, Count } from '../shell/address-fields.tsx';
import type { QueryProps } from '../shell/router.ts';
import { go, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { commandOf, DEFAULTS, FAULTS, requestOf } from './request.ts';

interface Names {
  readonly protocols: readonly string[];
  readonly behaviours: readonly Schema<'Behaviour'>[];
}

/** Until the names are read. */
const UNREAD: Names = { protocols: [DEFAULTS.protocol], behaviours: [] };

const PROPERTIES = [
  ['', 'all that the protocol claims here'],
  ['one-leader', 'two honest nodes never lead at the same time'],
  ['one-leader-per-epoch', 'one leader for each epoch or term'],
  ['agreement', 'at rest all honest nodes follow the same node'],
  ['highest-wins', 'the highest live node wins at rest'],
  ['leader-elected', 'a leader is elected in every execution'],
] as const;

export function CheckForm({ query }: QueryProps) {
  const { value: names, error: failure } = useAnswer(readNames);
  const { isBusy, error, submitting } = useAttempt();
  const request = requestOf(query);
  const submit = submitting(async () => {
    const job = await answerOf(api.POST('/v1/checks', { params: once(), body: request }));
    go(['checks', job.id]);
  });
  return (
    <>
      <h1>Check a protocol</h1>
      <p>
        The checker explores every order in which messages arrive and timers fire, and every fault
        within the bounds. It reports a shortest list of actions that violates a property, or that
        there is none.
      </p>
      <form class="panel check-form" onSubmit={submit}>
        <Instance query={query} names={names ?? UNREAD} />
        <Faults query={query} />
        <Byzantine query={query} behaviours={(names ?? UNREAD).behaviours} />
        <ErrorNotice error={error.value ?? failure} />
        <div class="controls">
          <button class="primary" type="submit" disabled={isBusy.value}>
            Check
          </button>
          <button type="button" onClick={() => go(['checks', 'walk'], query)}>
            Walk by hand
          </button>
        </div>
      </form>
      <Equivalent
        command={commandOf(request)}
        request={{ method: 'POST', path: '/v1/checks', body: request }}
      />
    </>
  );
}

async function readNames(): Promise<Names> {
  const [protocols, behaviours] = await Promise.all([
    readProtocols(),
    answerOf(api.GET('/v1/behaviours', { params: { query: { pageSize: '100' } } })),
  ]);
  return { protocols: protocols.items.map(({ name }) => name), behaviours: behaviours.items };
}

function Instance({ query, names }: QueryProps & { readonly names: Names }) {
  const protocol = query.protocol ?? DEFAULTS.protocol;
  return (
    <div class="controls">
      <Choice label="Protocol" name="protocol" value={protocol} options={names.protocols} />
      <Count label="Nodes" name="nodes" value={query.nodes ?? DEFAULTS.nodes} min={1} max={12} />
      <Choice
        label="Timing"
        name="timing"
        value={query.timing ?? DEFAULTS.timing}
        options={['asynchronous', 'synchronous']}
      />
      <label>
        Property
        <select
          value={query.property ?? ''}
          onChange={(event) => keepInAddress({ property: event.currentTarget.value })}
        >
          {PROPERTIES.map(([name, words]) => (
            <option key={name} value={name}>
              {name === '' ? words : `${name}: ${words}`}
            </option>
          ))}
        </select>
      </label>
      <Count
        label="Most worlds"
        name="maxStates"
        value={query.maxStates ?? DEFAULTS.maxStates}
        min={1}
        max={2_000_000}
      />
    </div>
  );
}

function Faults({ query }: QueryProps) {
  return (
    <fieldset>
      <legend>Faults, at most</legend>
      <div class="controls">
        {Object.entries(FAULTS).map(([name, words]) => (
          <Count key={name} label={words} name={name} value={query[name] ?? '0'} min={0} max={7} />
        ))}
      </div>
    </fieldset>
  );
}

function Byzantine({
  query,
  behaviours,
}: QueryProps & { readonly behaviours: readonly Schema<'Behaviour'>[] }) {
  const protocol = query.protocol ?? DEFAULTS.protocol;
  // The protocols that a behaviour fits are names of the same list.
  const fitting = behaviours.filter(({ fits }) => (fits as readonly string[]).includes(protocol));
  const chosen = query.behaviour ?? '';
  const options = [
    '',
    ...new Set([...fitting.map(({ name }) => name), ...(chosen ? [chosen] : [])]),
  ];
  return (
    <fieldset>
      <legend>One Byzantine node</legend>
      <div class="controls">
        <label>
          Behaviour
          <select
            value={chosen}
            onChange={({ currentTarget: { value } }) =>
              keepInAddress({
                behaviour: value,
                rank: value === '' ? null : (query.rank ?? '1'),
                level: value === '' ? null : (query.level ?? 'L0'),
              })
            }
          >
            {options.map((name) => (
              <option key={name} value={name}>
                {name === '' ? 'none' : name}
              </option>
            ))}
          </select>
        </label>
        {chosen === '' ? null : (
          <>
            <Count label="Its rank" name="rank" value={query.rank ?? '1'} min={1} max={12} />
            <Choice
              label="Level: what nodes check of messages"
              name="level"
              value={query.level ?? 'L0'}
              options={['L0', 'L1', 'L2', 'L3']}
            />
          </>
        )}
      </div>
      {fitting
        .filter(({ name }) => name === chosen)
        .map(({ summary }) => (
          <p key={chosen}>{summary}</p>
        ))}
    </fieldset>
  );
}
