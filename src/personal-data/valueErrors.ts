import type { I18nString } from '../data-types/DataType';
import type { Language } from '../data-types/languages';
import { languages } from '../data-types/languages';

/** Errors of a value, in addition to those that its data type finds. */
export type ValueError =
  'sourceMissing' | 'sourceUnavailable' | 'tooMany' | 'duplicate' | 'unreadable' | 'nationalNumber' |
  'issuer' | 'proof' | 'status' | 'validity' | 'shape' | 'notChecked' | 'subject' | 'tooLarge' | 'tooMuch';

const texts: Record<ValueError, Record<Language, string>> = {
  sourceMissing: {
    nl: 'Voor dit soort gegevens is geen bron ingesteld.',
    fr: 'Aucune source n\'est configurée pour ce type de données.',
    de: 'Für diese Art von Daten ist keine Quelle eingerichtet.',
    en: 'No source is set up for this kind of data.',
  },
  sourceUnavailable: {
    nl: 'De bron van deze gegevens is niet bereikbaar. Probeer het later opnieuw.',
    fr: 'La source de ces données n\'est pas joignable. Réessayez plus tard.',
    de: 'Die Quelle dieser Daten ist nicht erreichbar. Versuchen Sie es später erneut.',
    en: 'The source of this data cannot be reached. Try again later.',
  },
  tooMany: {
    nl: 'De bron heeft meer gegevens dan hier getoond kunnen worden.',
    fr: 'La source contient plus de données que ce qui peut être affiché ici.',
    de: 'Die Quelle hat mehr Daten, als hier gezeigt werden können.',
    en: 'The source has more data than can be shown here.',
  },
  duplicate: {
    nl: 'De bron levert dit gegeven meer dan eens.',
    fr: 'La source fournit cette donnée plus d\'une fois.',
    de: 'Die Quelle liefert diesen Eintrag mehr als einmal.',
    en: 'The source delivers this record more than once.',
  },
  unreadable: {
    nl: 'Dit gegeven kan niet gelezen worden.',
    fr: 'Cette donnée ne peut pas être lue.',
    de: 'Dieser Eintrag kann nicht gelesen werden.',
    en: 'This record cannot be read.',
  },
  nationalNumber: {
    nl: 'Dit gegeven bevat een rijksregisternummer op een plaats waar dat niet hoort.',
    fr: 'Cette donnée contient un numéro de registre national à un endroit où il n\'a pas sa place.',
    de: 'Dieser Eintrag enthält eine Nationalregisternummer an einer Stelle, an die sie nicht gehört.',
    en: 'This record has a national register number in a place where it does not belong.',
  },
  issuer: {
    nl: 'De uitgever van dit gegeven wordt niet vertrouwd.',
    fr: 'L\'émetteur de cette donnée n\'est pas reconnu.',
    de: 'Dem Aussteller dieses Eintrags wird nicht vertraut.',
    en: 'The issuer of this record is not trusted.',
  },
  proof: {
    nl: 'De handtekening van dit gegeven is niet geldig.',
    fr: 'La signature de cette donnée n\'est pas valable.',
    de: 'Die Signatur dieses Eintrags ist ungültig.',
    en: 'The signature of this record is not valid.',
  },
  status: {
    nl: 'Dit gegeven is ingetrokken.',
    fr: 'Cette donnée a été révoquée.',
    de: 'Dieser Eintrag wurde widerrufen.',
    en: 'This record was revoked.',
  },
  validity: {
    nl: 'Dit gegeven is vandaag niet geldig.',
    fr: 'Cette donnée n\'est pas valable aujourd\'hui.',
    de: 'Dieser Eintrag ist heute nicht gültig.',
    en: 'This record is not valid today.',
  },
  shape: {
    nl: 'Dit gegeven heeft niet de vorm die verwacht wordt.',
    fr: 'Cette donnée n\'a pas la forme attendue.',
    de: 'Dieser Eintrag hat nicht die erwartete Form.',
    en: 'This record does not have the expected form.',
  },
  subject: {
    nl: 'Dit gegeven gaat niet over u, of niet over u alleen.',
    fr: 'Cette donnée ne vous concerne pas, ou ne concerne pas que vous.',
    de: 'Dieser Eintrag betrifft nicht Sie, oder nicht Sie allein.',
    en: 'This record is not about you, or not about you alone.',
  },
  tooLarge: {
    nl: 'Dit gegeven is te omvangrijk.',
    fr: 'Cette donnée est trop volumineuse.',
    de: 'Dieser Eintrag ist zu umfangreich.',
    en: 'This record is too large.',
  },
  tooMuch: {
    nl: 'Er zijn meer gegevens dan hier in één keer gelezen kunnen worden. Probeer het later opnieuw.',
    fr: 'Il y a plus de données que ce qui peut être lu ici en une fois. Réessayez plus tard.',
    de: 'Es sind mehr Daten, als hier auf einmal gelesen werden können. Versuchen Sie es später erneut.',
    en: 'There are more data than can be read here at once. Try again later.',
  },
  notChecked: {
    nl: 'De geldigheid van dit gegeven kan nu niet nagegaan worden. Probeer het later opnieuw.',
    fr: 'La validité de cette donnée ne peut pas être vérifiée maintenant. Réessayez plus tard.',
    de: 'Die Gültigkeit dieses Eintrags kann jetzt nicht geprüft werden. Versuchen Sie es später erneut.',
    en: 'The validity of this record cannot be checked now. Try again later.',
  },
};

/** Returns the message of an error in every language. */
export function valueError(error: ValueError): I18nString[] {
  return languages.map((language): I18nString => ({ value: texts[error][language], language }));
}
