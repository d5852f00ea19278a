import { readProxyHeader } from '../../../src/limits/ClientAddresses';
import { RefusedSetting } from '../../../src/platform/RefusedSetting';
import { readSwitch } from '../../../src/platform/readSwitch';
import { readTheme } from '../../../src/platform/theme';
import { readWholeNumber } from '../../../src/platform/readWholeNumber';
import { MailSender } from '../../../src/server/mail/MailSender';
import { readBaseUrl } from '../../../src/platform/readSettings';
import { SelectedLoggerFactory } from '../../../src/wiring/process/SelectedLoggerFactory';

const mail = { mailFrom: 'no-reply@sharing.example', pages: { baseUrl: 'https://sharing.example/', serviceName: 'Sharing' } as never, source: {} as never };

describe('A setting that is refused', (): void => {
  it.each<[string, () => unknown]>([
    [ 'logFormat', (): unknown => new SelectedLoggerFactory({ level: 'info', logFormat: 'jsn' }) ],
    [ 'smtp', (): unknown => new MailSender({ ...mail, smtp: 'smtp://' }) ],
    [ 'smtp', (): unknown => new MailSender({ ...mail, smtp: 'none/here' }) ],
    [ 'mailFrom', (): unknown => new MailSender({ ...mail, mailFrom: 'nobody', smtp: '' }) ],
    [ 'theme', (): unknown => readTheme('none', 'Sharing') ],
    [ 'proxyHeader', (): unknown => readProxyHeader('Via') ],
    [ 'legacyTokens', (): unknown => readSwitch('legacyTokens', 'yes') ],
    [ 'slots', (): unknown => readWholeNumber('slots', '-1') ],
    [ 'baseUrl', (): unknown => readBaseUrl('https://sharing.example/pods/') ],
  ])('as --%s has one line as its stack, which the server\'s command prints.', (flag, refuse): void => {
    expect(refuse).toThrow(RefusedSetting);
    const line = expect.stringMatching(new RegExp(`^--${flag}:? .+$`, 'u'));
    expect(refuse).toThrow(expect.objectContaining({ stack: line }));
  });
});
