import { DateTime } from 'luxon';
import type { Term } from 'n3';
import { SH } from '../vocabulary';
import type { Claims } from './Claims';
import type { I18nString, Inspection, SummaryField } from './DataType';
import type { MessageName } from './messages';
import { message, messageAbout } from './messages';
import type { FieldKind, NodeShape, PropertyShape, ShapedDataType } from './Shape';

/** A violated rule of a data type, with its node and property. */
export interface Violation {
  focus: Term;
  /** IRI of the property, when the rule is about one. */
  path?: string;
  /** Local name of the constraint component. */
  component: string;
}

const malformed: Record<FieldKind, MessageName> = {
  string: 'notText',
  concept: 'unknownCode',
  group: 'notGroup',
  date: 'notDate',
  timestamp: 'notTimestamp',
  boolean: 'notBoolean',
  number: 'notNumber',
};

const textPattern: Record<Exclude<FieldKind, 'concept' | 'group'>, RegExp> = {
  string: /^/u,
  date: /^\d{4}-\d\d-\d\d(?:Z|[+-]\d\d:\d\d)?$/u,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/u,
  boolean: /^(?:true|false|0|1)$/u,
  number: /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:E[+-]?\d+)?$/iu,
};

/** A nested node that violates a rule is reported by that rule; a text in its place violates them all. */
const nestedComponent = 'NodeConstraintComponent';

/**
 * Summarises a record, and finds the errors in it.
 *
 * @param type - The data type.
 * @param claims - Claims of the record.
 * @param violations - Results of validation against the data type, including nested ones.
 *
 * @see [SHACL, section 3.4, Validation](https://www.w3.org/TR/shacl/#validation)
 */
export function summarise(type: ShapedDataType, claims: Claims, violations: Violation[]): Inspection {
  return new Summariser(type, claims, violations).inspection();
}

/** Texts for the title or subtitle. */
type Roles = Partial<Record<'title' | 'subtitle', I18nString[]>>;

class Summariser {
  private readonly roles: Roles = {};
  private readonly unseen: Set<Violation>;

  public constructor(
    private readonly type: ShapedDataType,
    private readonly claims: Claims,
    violations: Violation[],
  ) {
    this.unseen = new Set(violations.filter(({ component, focus }): boolean =>
      component !== nestedComponent && focus.termType !== 'Literal'));
  }

  public inspection(): Inspection {
    const details = this.fields(this.type.shape, this.claims.subject);
    const errors = Object.values(details).flatMap((field): I18nString[] => fieldErrors(field, []));
    if (this.unseen.size > 0) {
      errors.push(...message('notDescribed'));
    }
    const { title = this.type.labels, subtitle = []} = this.roles;
    return { summary: { title, subtitle, details }, errors };
  }

  private fields(shape: NodeShape, node: Term): Record<string, SummaryField> {
    const fields: Record<string, SummaryField> = {};
    for (const property of shape.properties) {
      const field = this.field(property, node);
      if (field && (property.inDetails || property.mandatory || field.format === 'error')) {
        fields[property.key] = field;
      }
    }
    return fields;
  }

  private field(property: PropertyShape, node: Term): SummaryField | undefined {
    const values = node.termType === 'Literal' ? [] : this.claims.data.getObjects(node, property.path, null);
    const problem = this.violation(property, node) ?? this.wrongValue(property, values);
    if (problem) {
      return { label: property.labels, format: 'error', value: message(problem) };
    }
    return values.length > 0 ? this.render(property, values) : undefined;
  }

  private violation(property: PropertyShape, node: Term): MessageName | undefined {
    const found = [ ...this.unseen ]
      .filter(({ focus, path }): boolean => path === property.path && focus.equals(node));
    for (const violation of found) {
      this.unseen.delete(violation);
    }
    return found.length > 0 ? explain(found[0].component, property.kind) : undefined;
  }

  /** Finds valid values that a summary cannot show. */
  private wrongValue(property: PropertyShape, values: Term[]): MessageName | undefined {
    if (values.length === 0) {
      return property.mandatory ? 'missing' : undefined;
    }
    const { kind } = property;
    return values.every((value): boolean => this.isWellFormed(kind, value)) ? undefined : malformed[kind];
  }

  private isWellFormed(kind: FieldKind, term: Term): boolean {
    if (kind === 'group') {
      return term.termType !== 'Literal';
    }
    if (kind === 'concept') {
      return term.termType === 'Literal' || this.type.concepts.has(term.value);
    }
    return term.termType === 'Literal' ?
      textPattern[kind].test(term.value) && isReal(kind, term.value) :
      kind === 'string' && term.termType === 'NamedNode';
  }

  private render(property: PropertyShape, values: Term[]): SummaryField {
    const { kind, labels: label } = property;
    if (kind === 'string' || kind === 'concept') {
      const items = kind === 'concept' ? values.map((term): I18nString[] => this.concept(term)) : textItems(values);
      this.note(property, items[0]);
      return { label, format: 'string', items };
    }
    if (values.length > 1) {
      const numbered = values.map((value, index): [string, SummaryField] =>
        [ String(index + 1), this.render(property, [ value ]) ]);
      return { label, format: 'group', items: Object.fromEntries(numbered) };
    }
    if (kind === 'group') {
      // Every group has a node.
      return { label, format: 'group', items: this.fields(property.node!, values[0]) };
    }
    const value = literalText(kind, values[0]);
    this.note(property, [{ value, language: null }]);
    return { label, format: kind, value };
  }

  private concept(term: Term): I18nString[] {
    return this.type.concepts.get(term.value) ?? [ plainText(term) ];
  }

  private note({ role }: PropertyShape, text: I18nString[]): void {
    if (role) {
      this.roles[role] ??= text;
    }
  }
}

function explain(component: string, kind: FieldKind): MessageName {
  switch (component) {
    case 'MinCountConstraintComponent': return 'missing';
    case 'MaxCountConstraintComponent': return 'tooMany';
    case 'DatatypeConstraintComponent':
    case 'NodeKindConstraintComponent':
    case 'ClassConstraintComponent':
    case 'InConstraintComponent': return malformed[kind];
    default: return 'notAllowed';
  }
}

/** Rejects well-formed dates that do not exist, such as 30 February. */
function isReal(kind: FieldKind, text: string): boolean {
  const isMoment = kind === 'date' || kind === 'timestamp';
  return !isMoment || DateTime.fromISO(kind === 'date' ? text.slice(0, 10) : text).isValid;
}

function literalText(kind: FieldKind, term: Term): string {
  if (kind === 'boolean') {
    return term.value === '1' || term.value === 'true' ? 'true' : 'false';
  }
  return kind === 'number' && /E/iu.test(term.value) ? String(Number(term.value)) : term.value;
}

function plainText(term: Term): I18nString {
  return { value: term.value, language: term.termType === 'Literal' && term.language ? term.language : null };
}

/**
 * Groups translations of one text into one item; a value without language, or a second one in a language, is its own.
 */
function textItems(values: Term[]): I18nString[][] {
  const texts = values.map(plainText);
  const tagged = texts.filter(({ language }): boolean => language !== null);
  const isOneText = new Set(tagged.map(({ language }): string | null => language)).size === tagged.length;
  if (!isOneText || tagged.length === 0) {
    return texts.map((text): I18nString[] => [ text ]);
  }
  const untagged = texts.filter(({ language }): boolean => language === null);
  return [ tagged, ...untagged.map((text): I18nString[] => [ text ]) ];
}

function fieldErrors(field: SummaryField, around: I18nString[][]): I18nString[] {
  const labels = [ ...around, field.label ];
  if (field.format === 'error') {
    return messageAbout(labels, field.value);
  }
  return field.format === 'group' ?
      Object.values(field.items).flatMap((item): I18nString[] => fieldErrors(item, labels)) :
      [];
}

/** Local name of a constraint component. */
export function componentName(iri: string): string {
  return iri.startsWith(SH.prefix) ? iri.slice(SH.prefix.length) : iri;
}
