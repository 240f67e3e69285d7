/**
 * @module
 * What the groups of fields of the form have in common.
 */

import type { Catalogue } from './catalogue.ts';
import type { Draft } from './request.ts';

/** What each group of fields receives. */
export interface FieldsProps {
  readonly draft: Draft;
  readonly catalogue: Catalogue;
  readonly change: (changes: Partial<Draft>) => void;
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly size: number;
  readonly placeholder?: string;
  readonly set: (value: string) => void;
}

/** A field with a text. */
export function Text({ label, value, size, placeholder, set }: TextProps) {
  return (
    <label>
      {label}
      <input
        {...{ size, value, placeholder }}
        autocomplete="off"
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
}

type TextMember = {
  [Name in keyof Draft]: Draft[Name] extends string ? Name : never;
}[keyof Draft];

interface MemberTextProps extends Pick<TextProps, 'label' | 'size' | 'placeholder'> {
  readonly name: TextMember;
  readonly props: FieldsProps;
}

/** A field with a text of the draft. */
export function MemberText({ name, props: { draft, change }, ...rest }: MemberTextProps) {
  return <Text {...rest} value={draft[name]} set={(text) => change({ [name]: text })} />;
}
