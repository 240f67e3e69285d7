/**
 * @module
 * The form that creates an election. What it contains is in the address.
 */

import { useMemo } from 'preact/hooks';

import { answerOf, api } from '../../api/client.ts';
import { once } from '../../api/jobs.ts';
import { Equivalent } from '../../parts/equivalent.tsx';
import { ErrorNotice } from '../../parts/notice.tsx';
import type { QueryProps } from '../../shell/router.ts';
import { go, keepInAddress } from '../../shell/router.ts';
import { useAnswer } from '../../shell/use-answer.ts';
import { useAttempt } from '../../shell/use-attempt.ts';
import { ElectionList } from '../list.tsx';
import { AttackFields } from './attack-fields.tsx';
import { readCatalogue } from './catalogue.ts';
import { FaultFields } from './fault-fields.tsx';
import { MainFields } from './main-fields.tsx';
import type { Draft } from './request.ts';
import { commandOf, draftOf, draftToQuery, randomSeed, requestOf } from './request.ts';
import { ScenarioChoice, ScenarioFields } from './scenario-fields.tsx';

export function CreateForm({ query }: QueryProps) {
  const seed = useMemo(randomSeed, []);
  const { value: catalogue, error: failure } = useAnswer(readCatalogue);
  const { isBusy, error, submitting } = useAttempt();
  const draft = draftOf(query, seed);
  const change = (changes: Partial<Draft>) => keepInAddress(draftToQuery({ ...draft, ...changes }));
  const submit = submitting(async () => {
    const body = requestOf(draft);
    const election = await answerOf(api.POST('/v1/elections', { params: once(), body }));
    go(['elections', election.id]);
  });
  if (failure !== null) return <ErrorNotice error={failure} />;
  if (catalogue === null) return <p class="loading">Loading…</p>;
  const fields = { draft, catalogue, change };
  return (
    <>
      <form class="create panel" onSubmit={submit}>
        <ScenarioChoice {...fields} />
        {draft.scenario === '' ? (
          <>
            <MainFields {...fields} />
            <AttackFields {...fields} />
            <FaultFields {...fields} />
          </>
        ) : (
          <ScenarioFields {...fields} />
        )}
        <ErrorNotice error={error.value} />
        <button class="primary" type="submit" disabled={isBusy.value}>
          Create the election
        </button>
      </form>
      <h2>Elections of this server</h2>
      <ElectionList />
      <Equivalent
        command={commandOf(draft)}
        request={{ method: 'POST', path: '/v1/elections', body: requestOf(draft) }}
      />
    </>
  );
}
