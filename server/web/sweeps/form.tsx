/**
 * @module
 * The form of a new sweep. Its values are in the address, so that a sweep can be shared before it is started.
 */

import { answerOf, api } from '../api/client.ts';
import { once } from '../api/jobs.ts';
import { Equivalent } from '../parts/equivalent.tsx';
import { ChoiceField, TextField } from '../parts/fields.tsx';
import { ErrorNotice, Notice } from '../parts/notice.tsx';
import { count, counted } from '../parts/numbers.ts';
import type { QueryProps } from '../shell/router.ts';
import { go, hrefOf, keepInAddress } from '../shell/router.ts';
import { useAnswer } from '../shell/use-answer.ts';
import { useAttempt } from '../shell/use-attempt.ts';
import type { Catalogue } from '../threat-models/catalogue-data.ts';
import { loadCatalogue } from '../threat-models/catalogue-data.ts';
import { valueAt } from '../threat-models/draft.ts';
import { AxisFields } from './axis-fields.tsx';
import { useEdited } from './document.ts';
import { firstAxes, membersOf, suggested } from './members.ts';
import type { SweepPlan } from './plan.ts';
import { AXES_MAX, cellCount, commandOf, planOf, queryOf, requestOf } from './plan.ts';

export function SweepForm({ query }: QueryProps) {
  const planned = planOf(query);
  const { value: catalogue, error: failure } = useAnswer(loadCatalogue);
  const edited = useEdited(planned.document);
  const { isBusy, error, submitting } = useAttempt();
  if (catalogue === null) {
    return failure === null ? (
      <p class="loading">Loading the threat models…</p>
    ) : (
      <ErrorNotice error={failure} />
    );
  }
  if (edited === undefined) return <p class="loading">Reading the document…</p>;
  const data = edited ?? catalogue.models.find(({ id }) => id === planned.model);
  const plan =
    planned.axes.length > 0 ? planned : { ...planned, axes: firstAxes(data).slice(0, AXES_MAX) };
  const request = requestOf(plan, edited);
  const submit = submitting(async () => {
    const job = await answerOf(api.POST('/v1/sweeps', { params: once(), body: request }));
    go(['sweeps', job.id]);
  });
  const change = (changes: Partial<SweepPlan>) => {
    keepInAddress(queryOf({ ...plan, ...changes }));
  };
  return (
    <>
      <form class="panel new-sweep" aria-label="A new sweep" onSubmit={submit}>
        <ModelChoice {...{ plan, catalogue, change }} />
        {plan.document !== null && edited === null ? (
          <Notice kind="error">
            The edited document in the address is damaged. The sweep uses that of the catalogue.
          </Notice>
        ) : null}
        <Axes {...{ plan, catalogue, data, change }} />
        <Runs {...{ plan, data, change }} />
        <ErrorNotice error={error.value} />
        <div class="controls start">
          <button class="primary" type="submit" disabled={isBusy.value}>
            Start the sweep
          </button>
          <span role="status">{sizeOf(plan, data)}</span>
        </div>
      </form>
      <p>
        <a href={hrefOf(['jobs'], { kind: 'sweep' })}>Your sweeps</a>
      </p>
      <Equivalent
        command={commandOf(request, edited === null ? plan.model : `${plan.model}.yaml`)}
        request={{ method: 'POST', path: '/v1/sweeps', body: request }}
      />
    </>
  );
}

interface PartProps {
  readonly plan: SweepPlan;
  readonly data: unknown;
  readonly catalogue: Catalogue;
  readonly change: (changes: Partial<SweepPlan>) => void;
}

function ModelChoice({ plan, catalogue: { models }, change }: Omit<PartProps, 'data'>) {
  const choose = (id: string) => {
    const model = models.find((each) => each.id === id);
    const runs = valueAt(model, ['sweep', 'runs']);
    change({
      model: id,
      document: null,
      axes: firstAxes(model).slice(0, AXES_MAX),
      work: '',
      settings: '',
      runs: runs === undefined ? '' : String(runs),
    });
  };
  const address = plan.document === null ? {} : { document: plan.document };
  return (
    <div class="controls model">
      <ChoiceField
        label="Threat model"
        value={plan.model}
        options={models.map(({ id, title }) => [id, `${id}: ${title}`])}
        set={choose}
      />
      <a href={hrefOf(['threat-models', plan.model], address)}>
        {plan.document === null ? 'Read the threat model' : 'Read the edited threat model'}
      </a>
    </div>
  );
}

function Axes({ plan: { axes }, data, catalogue: { schema }, change }: PartProps) {
  const members = membersOf(data);
  const free = members.find(({ path }) => axes.every((axis) => axis.path !== path));
  return (
    <>
      {axes.map((axis, index) => (
        <AxisFields
          key={axis.path}
          {...{ axis, schema, number: index + 1 }}
          members={members.filter(
            ({ path }) => path === axis.path || axes.every((each) => each.path !== path),
          )}
          change={(changed) => change({ axes: axes.with(index, changed) })}
          remove={axes.length < 2 ? null : () => change({ axes: axes.toSpliced(index, 1) })}
        />
      ))}
      {axes.length >= AXES_MAX || free === undefined ? null : (
        <p>
          <button
            type="button"
            onClick={() => {
              const added = { path: free.path, values: suggested(free, schema) };
              change({ axes: [...axes, added] });
            }}
          >
            Add an axis
          </button>
        </p>
      )}
    </>
  );
}

function Runs({ plan, data, change }: Omit<PartProps, 'catalogue'>) {
  return (
    <>
      <div class="controls">
        <ChoiceField
          label="Work"
          value={plan.work}
          options={[
            ['', `that of the document (${String(valueAt(data, ['work']) ?? 'mined')})`],
            ['sampled', 'sampled: identities are drawn, fast'],
            ['mined', 'mined: keys are made, elections are held'],
          ]}
          set={(work) => change({ work })}
        />
        <TextField
          {...{ label: 'Runs of each cell', size: 10, inputMode: 'numeric', value: plan.runs }}
          placeholder={String(runsOf(data))}
          set={(text) => change({ runs: text.trim() })}
        />
        <TextField
          {...{ label: 'Seed', size: 18, inputMode: 'numeric', value: plan.seed }}
          placeholder="chosen by the server"
          set={(text) => change({ seed: text.trim() })}
        />
        <ChoiceField
          label="Seeds of the cells"
          value={plan.seeds}
          options={[
            ['', 'paired: the same for all cells'],
            ['independent', 'independent'],
          ]}
          set={(seeds) => change({ seeds })}
        />
      </div>
      <label class="settings">
        Other settings, path=value, one in a line
        <textarea
          rows={Math.max(1, plan.settings.split('\n').length)}
          value={plan.settings}
          placeholder="network.honest=16"
          onInput={({ currentTarget }) => change({ settings: currentTarget.value })}
        />
      </label>
    </>
  );
}

/** Runs of each cell if the form has none. */
function runsOf(data: unknown): unknown {
  return valueAt(data, ['sweep', 'runs']) ?? valueAt(data, ['runs']) ?? DEFAULT_RUNS;
}

/** The default of the schema of threat models. */
const DEFAULT_RUNS = 100;

function sizeOf(plan: SweepPlan, data: unknown): string {
  const cells = cellCount(plan);
  if (cells === null) return 'The values of an axis are not complete.';
  const runs = plan.runs === '' ? runsOf(data) : plan.runs;
  const all = Number(runs) * cells;
  const total = Number.isFinite(all) ? `, ${count(all)} runs in total` : '';
  return `${counted(cells, 'cell')} of ${runs} runs${total}`;
}
