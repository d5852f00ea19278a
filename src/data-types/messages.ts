import type { I18nString } from './DataType';
import type { Language } from './languages';
import { languages } from './languages';

type Translations = Record<Language, string>;

/** Messages for citizens about mistakes in a record or one of its fields. */
const texts = {
  missing: {
    nl: 'dit verplichte gegeven ontbreekt',
    fr: 'cette donnée obligatoire manque',
    de: 'diese Pflichtangabe fehlt',
    en: 'this mandatory value is missing',
  },
  tooMany: {
    nl: 'er staan meer waarden dan toegelaten',
    fr: 'il y a plus de valeurs que permis',
    de: 'es stehen mehr Werte da als erlaubt',
    en: 'there are more values than allowed',
  },
  notDate: {
    nl: 'dit is geen geldige datum',
    fr: 'ce n\'est pas une date valable',
    de: 'dies ist kein gültiges Datum',
    en: 'this is not a valid date',
  },
  notTimestamp: {
    nl: 'dit is geen geldig tijdstip',
    fr: 'ce n\'est pas un moment valable',
    de: 'dies ist kein gültiger Zeitpunkt',
    en: 'this is not a valid date and time',
  },
  notBoolean: {
    nl: 'dit is geen ja of nee',
    fr: 'ce n\'est ni oui ni non',
    de: 'dies ist weder Ja noch Nein',
    en: 'this is neither yes nor no',
  },
  notNumber: {
    nl: 'dit is geen geldig getal',
    fr: 'ce n\'est pas un nombre valable',
    de: 'dies ist keine gültige Zahl',
    en: 'this is not a valid number',
  },
  notText: {
    nl: 'dit is geen geldige tekst',
    fr: 'ce n\'est pas un texte valable',
    de: 'dies ist kein gültiger Text',
    en: 'this is not a valid text',
  },
  unknownCode: {
    nl: 'deze code is onbekend',
    fr: 'ce code est inconnu',
    de: 'dieser Code ist unbekannt',
    en: 'this code is unknown',
  },
  notGroup: {
    nl: 'deze gegevens hebben niet de juiste vorm',
    fr: 'ces données n\'ont pas la bonne forme',
    de: 'diese Angaben haben nicht die richtige Form',
    en: 'these data do not have the right form',
  },
  notAllowed: {
    nl: 'deze waarde is niet toegelaten',
    fr: 'cette valeur n\'est pas permise',
    de: 'dieser Wert ist nicht erlaubt',
    en: 'this value is not allowed',
  },
  tooLarge: {
    nl: 'Deze gegevens zijn te omvangrijk.',
    fr: 'Ces données sont trop volumineuses.',
    de: 'Diese Daten sind zu umfangreich.',
    en: 'These data are too large.',
  },
  wrongType: {
    nl: 'Deze gegevens zijn niet van het soort dat gevraagd werd.',
    fr: 'Ces données ne sont pas du type demandé.',
    de: 'Diese Daten sind nicht von der angefragten Art.',
    en: 'These data are not of the kind that was asked for.',
  },
  notDescribed: {
    nl: 'Deze gegevens bevatten iets wat bij dit soort gegevens niet hoort.',
    fr: 'Ces données contiennent un élément qui n\'appartient pas à ce type de données.',
    de: 'Diese Daten enthalten etwas, das nicht zu dieser Art von Daten gehört.',
    en: 'These data hold something that does not belong to this kind of data.',
  },
  nationalNumber: {
    nl: 'Deze gegevens bevatten uw rijksregisternummer op een plaats waar het niet mag staan.',
    fr: 'Ces données contiennent votre numéro de registre national à un endroit où il ne peut pas figurer.',
    de: 'Diese Daten enthalten Ihre Nationalregisternummer an einer Stelle, an der sie nicht stehen darf.',
    en: 'These data hold your national number in a place where it may not be.',
  },
} as const satisfies Record<string, Translations>;

/** Name of a message. */
export type MessageName = keyof typeof texts;

/** Returns a message in every language. */
export function message(name: MessageName): I18nString[] {
  return languages.map((language): I18nString => ({ value: texts[name][language], language }));
}

/** Returns a message about a field: each translation follows the names of the field and the groups around it. */
export function messageAbout(labels: I18nString[][], text: I18nString[]): I18nString[] {
  return text.map(({ value, language }): I18nString => {
    const names = labels.flat().filter((name): boolean => name.language === language).map((name): string => name.value);
    return { value: `${names.join(', ')}: ${value}`, language };
  });
}
