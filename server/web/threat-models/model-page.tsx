/**
 * @module
 * One threat model: its prose, its run, and the document as form and as YAML. The text is the one state; the form
 * shows what it says. An edited text is in the address.
 */

import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';

import { hasNoServer } from '../api/lab-thread.ts';
import { Downloads } from '../parts/download.tsx';
import { unbroken } from '../parts/numbers.ts';
import { hrefOf, keepInAddress } from '../shell/router.ts';
import type { ThreatModel } from './catalogue-data.ts';
import { faultsOfServer, questionOf } from './catalogue-data.ts';
import type { Draft, DraftFault } from './draft.ts';
import { packed, readDraft, textOf, unpacked, valueAt } from './draft.ts';
import { Form } from './form/form.tsx';
import type { JsonSchema } from './form/form-schema.ts';
import { RunPanel } from './run/run-panel.tsx';

interface ModelPageProps {
  readonly model: ThreatModel;
  readonly schema: JsonSchema;
  readonly query: Readonly<Record<string, string>>;
}

export function ModelPage({ model, schema, query }: ModelPageProps) {
  const original = useMemo(() => textOf(model, schema), [model]);
  const { text, edit } = useText(original, query.document);
  const draft = useMemo(() => readDraft(text), [text]);
  const { data, faults } = useChecked(text, draft, model);
  const isEdited = text !== original;
  const title = valueAt(data, ['title']);
  return (
    <div class="threat-models">
      <h1>{typeof title === 'string' ? title : model.title}</h1>
      <p class="facts">
        <code>{model.id}</code> {isEdited ? null : questionOf(model)}
      </p>
      <Prose data={data} />
      <RunPanel
        id={model.id}
        {...{ data, query, isEdited }}
        document={isEdited ? data : model.id}
        isRefused={faults.length > 0}
      />
      <section aria-label="The document" class="document">
        <h2>The document</h2>
        <div class="controls">
          <button type="button" disabled={!isEdited} onClick={() => edit(original)}>
            Restore the original
          </button>
          <Downloads
            files={[
              {
                label: `Download ${model.id}.yaml`,
                name: `${model.id}.yaml`,
                read: () => new Blob([text], { type: 'application/yaml' }),
              },
            ]}
          />
          {hasNoServer ? null : (
            <a href={hrefOf(['sweeps'], { model: model.id, document: query.document })}>
              Sweep {isEdited ? 'the edited model' : 'this model'}
            </a>
          )}
          {isEdited ? <span class="edited">Edited. The address contains the changes.</span> : null}
        </div>
        <div class="workbench">
          <Form {...{ schema, text, data, faults, edit }} isReadable={draft.isRead} />
          <YamlEditor {...{ text, faults, edit }} />
        </div>
      </section>
    </div>
  );
}

const PROSE = [
  ['assumes', 'It assumes'],
  ['can', 'The adversary can'],
  ['cannot', 'It cannot'],
  ['wants', 'It wants'],
  ['outcome', 'The outcome'],
] as const;

function Prose({ data }: { readonly data: unknown }) {
  return (
    <dl class="prose">
      {PROSE.map(([name, label]) => {
        const value = valueAt(data, [name]);
        return typeof value !== 'string' ? null : (
          <div key={name}>
            <dt>{label}</dt>
            <dd>{unbroken(value)}</dd>
          </div>
        );
      })}
    </dl>
  );
}

/** The text that is edited. The address has it while it is not the original. */
function useText(original: string, code: string | undefined) {
  const text = useSignal(original);
  /** The code in the address that belongs to the text; undefined for the original. */
  const known = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (code === known.peek()) return undefined;
    let isCurrent = true;
    known.value = code;
    const found = code === undefined ? Promise.resolve(original) : unpacked(code);
    void found.then((value) => {
      if (isCurrent) text.value = value ?? original;
    });
    return () => {
      isCurrent = false;
    };
  }, [code]);
  const edit = (value: string) => {
    text.value = value;
    if (value === original) {
      known.value = undefined;
      keepInAddress({ document: null });
      return;
    }
    void packed(value).then((own) => {
      if (text.peek() !== value) return;
      known.value = own;
      keepInAddress({ document: own });
    });
  };
  return { text: text.value, edit };
}

/** The last data that could be read, and the faults of the text: of YAML at once, of the members from the server. */
function useChecked(text: string, draft: Draft, model: ThreatModel) {
  const last = useSignal<unknown>(model);
  const found = useSignal<{ readonly text: string; readonly faults: readonly DraftFault[] }>({
    text,
    faults: [],
  });
  useEffect(() => {
    if (!draft.isRead) return undefined;
    last.value = draft.data;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      faultsOfServer(draft.data, controller.signal)
        .then((faults) => {
          const located = faults.map((fault) => ({ ...fault, line: draft.lineOf(fault.path) }));
          found.value = { text, faults: located };
        })
        // A run is refused for the same reasons, and shows them.
        .catch(() => {});
    }, CHECK_AFTER_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [draft]);
  const data = draft.isRead ? draft.data : last.value;
  return { data, faults: draft.isRead ? found.value.faults : draft.faults };
}

/** Pause after a change before the server checks the document. */
const CHECK_AFTER_MS = 250;

interface YamlEditorProps {
  readonly text: string;
  readonly faults: readonly DraftFault[];
  readonly edit: (text: string) => void;
}

/** Faults that are listed. */
const SHOWN_MAX = 16;

/** The document as YAML text, with numbers of lines and the faults by line. */
function YamlEditor({ text, faults, edit }: YamlEditorProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const lines = text.split('\n');
  const wrong = new Set(faults.map(({ line }) => line));
  const show = (line: number) => {
    const start = lines.slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0);
    area.current?.focus();
    area.current?.setSelectionRange(start, start + (lines[line - 1] ?? '').length);
  };
  return (
    <section class="yaml" aria-label="YAML">
      <h3>YAML</h3>
      <div role="status" class="yaml-faults">
        {faults.length === 0 ? null : (
          <ul>
            {faults.slice(0, SHOWN_MAX).map((fault) => (
              <li key={`${fault.line} ${fault.text}`}>
                <button type="button" onClick={() => show(fault.line)}>
                  Line {fault.line}
                </button>{' '}
                {fault.text}
              </li>
            ))}
          </ul>
        )}
      </div>
      <div class="yaml-text">
        <div class="line-numbers" aria-hidden="true">
          {lines.map((_, index) => (
            <span key={index} class={wrong.has(index + 1) ? 'wrong' : undefined}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          ref={area}
          aria-label="YAML of the threat model"
          aria-invalid={faults.length > 0}
          spellcheck={false}
          autocapitalize="off"
          wrap="off"
          rows={lines.length}
          value={text}
          onInput={({ currentTarget }) => edit(currentTarget.value)}
        />
      </div>
    </section>
  );
}
