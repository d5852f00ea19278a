import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DateTime } from 'luxon';
import type { MapRequest, Notice, RequestZone, UnaZone, ZoneSettings } from '../PlanStores';
import { parseOwn } from '../../platform/ownJson';

/** Content of a mail. */
export interface MailedNotice {
  requestId: string;
  zone: Pick<UnaZone, 'name' | 'settings'>;
  /** Absent when the request was archived. */
  request?: Pick<MapRequest, 'content'>;
  /** The request's terms in the zone; absent likewise. */
  sentTo?: Pick<RequestZone, 'answerBy' | 'confirmBy'>;
  serviceName: string;
}

/** A mail as plain text and HTML. */
export interface WrittenMail {
  subject: string;
  text: string;
  html: string;
}

type Language = ZoneSettings['language'];

const folder = join(__dirname, '../../../templates/plan-requests/mails');
type Words = Readonly<Record<string, string>>;

const words: Record<Language, Words> = {
  nl: readWords('nl'),
  fr: readWords('fr'),
  de: readWords('de'),
  en: readWords('en'),
};

function readWords(language: Language): Words {
  return parseOwn(readFileSync(join(folder, `${language}.json`), 'utf8'));
}

/** Writes a mail in the language of the zone. Of a request it contains only the reference, the id and the terms. */
export function writeMail(notice: Notice, { request, requestId, sentTo, serviceName, zone }: MailedNotice):
WrittenMail {
  const { language } = zone.settings;
  const values: Record<string, string> = {
    reference: request ? request.content.reference : requestId,
    id: requestId,
    zone: zone.name,
    service: serviceName,
    confirmBy: lastDayOf(sentTo?.confirmBy, language),
    answerBy: lastDayOf(sentTo?.answerBy, language),
  };
  function text(key: string): string {
    return words[language][key].replaceAll(/\{(\w+)\}/gu, (...[ , name ]: string[]): string => inOneLine(values[name]));
  }
  const subject = text(`${notice}.subject`);
  const paragraphs = [ text(`${notice}.text`), text('number'), text('footer') ];
  const html = paragraphs.map((paragraph): string => `<p>${escape(paragraph)}</p>`).join('\n');
  return {
    subject,
    text: `${paragraphs.join('\n\n')}\n`,
    html: `<!DOCTYPE html>\n<html lang="${language}">\n<head><meta charset="utf-8"><title>${escape(subject)}</title>` +
      `</head>\n<body>\n${html}\n</body>\n</html>\n`,
  };
}

/** Returns the last day of a term, which ends at the following midnight. */
function lastDayOf(end: Date | undefined, language: Language): string {
  return end === undefined ?
    '' :
      DateTime.fromJSDate(end, { zone: 'Europe/Brussels' }).setLocale(`${language}-BE`).minus({ days: 1 })
        .toLocaleString(DateTime.DATE_FULL);
}

function inOneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/gu, (character): string => `&#${character.codePointAt(0)};`);
}
