/**
 * @module
 * The form of a matrix: attacks or faults, the protocols, and how many runs. The address holds it.
 */

import { answerOf, api, readProtocols } from '../api/client.ts';
import { once } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ErrorNotice } from '../parts/notice.tsx';
import { Count } from '../shell/address-fields.tsx';
import type { QueryProps } from '../shell/router.ts';
import { go, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import { chosenProtocols, commandOf, DEFAULTS, requestOf } from './request.ts';

export function MatrixForm({ query }: QueryProps) {
  const { isBusy, error, submitting } = useAttempt();
  const request = requestOf(query);
  const submit = submitting(async () => {
    const body = request;
    const job = await answerOf(api.POST('/v1/matrices', { params: once(), body }));
    go(['matrices', job.id]);
  });
  return (
    <>
      <h1>Matrices</h1>
      <p>
        A matrix has a row for each protocol and a column for each attack or fault. Every cell is
        decided by runs. A cell opens the runs that it rests on.
      </p>
      <form class="matrix-form" onSubmit={submit}>
        <Kind query={query} />
        {request.matrix === 'fault' ? (
          <FaultFields query={query} />
        ) : (
          <AttackFields query={query} />
        )}
        <Protocols query={query} />
        <ErrorNotice error={error.value} />
        <button class="primary" type="submit" disabled={isBusy.value}>
          Run the matrix
        </button>
      </form>
      <Equivalent
        command={commandOf(request)}
        request={{ method: 'POST', path: '/v1/matrices', body: request }}
      />
    </>
  );
}

const KINDS = [
  ['attack', 'attacks of an adversary'],
  ['fault', 'faults of nodes and network'],
] as const;

function Kind({ query }: QueryProps) {
  const chosen = query.matrix ?? DEFAULTS.matrix;
  return (
    <fieldset>
      <legend>Columns</legend>
      <div class="choices">
        {KINDS.map(([name, words]) => (
          <label key={name}>
            <input
              type="radio"
              name="matrix"
              checked={chosen === name}
              onChange={() => keepInAddress({ matrix: name })}
            />
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function AttackFields({ query }: QueryProps) {
  return (
    <div class="controls">
      <label>
        Seed
        <input
          value={query.seed ?? DEFAULTS.seed}
          inputMode="numeric"
          autocomplete="off"
          onInput={(event) => keepInAddress({ seed: event.currentTarget.value })}
        />
      </label>
      <label class="switch">
        <input
          type="checkbox"
          checked={query.sets === '1'}
          onChange={(event) => keepInAddress({ sets: event.currentTarget.checked ? 1 : null })}
        />
        Search the smallest set of defences that stops each attack (takes minutes)
      </label>
    </div>
  );
}

function FaultFields({ query }: QueryProps) {
  return (
    <div class="controls">
      <Count
        {...{ label: 'Runs of each cell', name: 'runs', min: 1, max: 4000 }}
        value={query.runs ?? DEFAULTS.runs}
      />
    </div>
  );
}

function Protocols({ query }: QueryProps) {
  const chosen = chosenProtocols(query);
  // All protocols are the default, which needs no list.
  const { value: protocols } = useAnswer(readProtocols);
  const known = protocols?.items.map(({ name }): string => name) ?? [];
  const names = [...known, ...chosen.filter((name) => !known.includes(name))];
  const toggle = (name: string, isChosen: boolean) => {
    const next = names.filter((each) => (each === name ? isChosen : chosen.includes(each)));
    keepInAddress({ protocols: next.join(',') });
  };
  return (
    <fieldset>
      <legend>Rows</legend>
      <p>
        {chosen.length === 0
          ? 'All protocols. Choose some for a faster answer.'
          : `${chosen.length} of ${names.length} protocols.`}
      </p>
      <div class="protocol-choices">
        {names.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) => toggle(name, event.currentTarget.checked)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
