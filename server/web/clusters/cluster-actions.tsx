/**
 * @module
 * The actions on a cluster as a whole, and the list of the last actions.
 */

import { useSignal } from '@preact/signals';

import { actionText, observationText, takeoverText } from './cluster-text.ts';
import type { Cluster, ClusterWatch } from './watch.ts';

interface ActionsProps {
  readonly watch: ClusterWatch;
  readonly cluster: Cluster;
}

export function ClusterActions({ watch, cluster }: ActionsProps) {
  const isBusy = watch.isBusy.value;
  const attempts = useSignal('10000');
  const { status, agreement, takeover } = cluster;
  const isEnding = watch.isEnding.value || status === 'ending';
  const isOpen = status === 'running' && !isEnding;
  return (
    <section aria-labelledby="cluster-actions">
      <h2 id="cluster-actions">Cluster</h2>
      <div class="controls">
        <button
          type="button"
          disabled={isBusy || !isOpen}
          onClick={() => void watch.act({ type: 'join' })}
        >
          Let a node join
        </button>
        <button
          type="button"
          class="primary"
          disabled={isBusy || status === 'ending' || watch.isGone.value}
          onClick={() => void watch.end()}
        >
          {status === 'over' ? 'Remove it' : isEnding ? 'Checking…' : 'End and check'}
        </button>
      </div>
      {isOpen ? (
        <form
          class="controls"
          onSubmit={(event) => {
            event.preventDefault();
            const budget = { attempts: attempts.value };
            void watch.act({ type: 'attack', budget, behaviours: [] });
          }}
        >
          <label>
            Keys that an adversary tests
            <input
              size={9}
              value={attempts.value}
              autocomplete="off"
              onInput={(event) => {
                attempts.value = event.currentTarget.value;
              }}
            />
          </label>
          <button type="submit" disabled={isBusy || agreement === null}>
            Attack the leader
          </button>
        </form>
      ) : null}
      {takeover === null ? null : <TakeoverReport takeover={takeover} />}
    </section>
  );
}

function TakeoverReport({ takeover }: { readonly takeover: NonNullable<Cluster['takeover']> }) {
  const { observations } = takeover;
  return (
    <>
      <p class="takeover">{takeoverText(takeover)}</p>
      {observations.length === 0 ? null : (
        <details>
          <summary>What honest nodes noticed, after the first hash</summary>
          <ol class="cluster-log">
            {observations.map((each) => (
              <li key={`${each.node} ${each.what}`}>{observationText(each)}</li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

/** The last actions, the newest first. */
export function ActionLog({ cluster: { actions } }: Pick<ActionsProps, 'cluster'>) {
  if (actions.length === 0) return null;
  const shown = actions.toReversed().slice(0, SHOWN_MAX);
  return (
    <ul class="cluster-log" aria-label="Actions">
      {actions.length > SHOWN_MAX ? <li>The last {SHOWN_MAX} actions:</li> : null}
      {shown.map((action) => (
        <li key={action.number}>{actionText(action)}</li>
      ))}
    </ul>
  );
}

const SHOWN_MAX = 8;
