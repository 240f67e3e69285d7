/**
 * @module
 * The document as YAML text, with numbers of lines and the faults by line.
 */

import { useRef } from 'preact/hooks';

import type { DraftFault } from './draft.ts';

interface YamlEditorProps {
  readonly text: string;
  readonly faults: readonly DraftFault[];
  readonly edit: (text: string) => void;
}

/** Faults that are listed. */
const SHOWN_MAX = 16;

export function YamlEditor({ text, faults, edit }: YamlEditorProps) {
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
