import { once } from 'node:events';
import type { AddressInfo, Server, Socket } from 'node:net';
import { createServer } from 'node:net';

/** An accepted mail. */
export interface TakenMail {
  from: string;
  to: string;
  /** Head and body, decoded. */
  text: string;
  /** User and password that the client gave, if it did. */
  login?: string;
}

/** A mail server in this process, which keeps the mails that it accepts. */
export interface SmtpServer {
  port: number;
  mails: TakenMail[];
  /** Resolves when it has this many mails. */
  arrived: (count: number) => Promise<void>;
  /** Sets the response to each recipient from now on; undefined to accept it. */
  refusal?: string;
  stop: () => Promise<void>;
}

/**
 * Starts a mail server.
 *
 * @see [RFC 5321, section 4.1](https://www.rfc-editor.org/rfc/rfc5321#section-4.1)
 */
export async function startSmtpServer(): Promise<SmtpServer> {
  const mails: TakenMail[] = [];
  const waiting: { count: number; done: () => void }[] = [];
  const sockets = new Set<Socket>();
  const refused: Pick<SmtpServer, 'refusal'> = {};
  const server: Server = createServer((socket): void => {
    sockets.add(socket.on('error', (): unknown => socket.destroy()));
    converse(socket, refused, (mail): void => {
      mails.push(mail);
      for (const { count, done } of waiting) {
        if (mails.length >= count) {
          done();
        }
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return Object.assign(refused, {
    port: (server.address() as AddressInfo).port,
    mails,
    async arrived(count: number): Promise<void> {
      if (mails.length < count) {
        await new Promise<void>((done): unknown => waiting.push({ count, done }));
      }
    },
    async stop(): Promise<void> {
      for (const socket of sockets) {
        socket.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  });
}

function converse(socket: Socket, server: Pick<SmtpServer, 'refusal'>, take: (mail: TakenMail) => void): void {
  let unread = '';
  let mail = { from: '', to: '', text: '' } as TakenMail;
  let isData = false;
  function say(line: string): void {
    socket.write(`${line}\r\n`);
  }
  function hear(line: string): void {
    const [ verb ] = line.toUpperCase().split(/[ :]/u);
    switch (verb) {
      case 'EHLO':
        socket.write('250-mail\r\n250-8BITMIME\r\n250 AUTH PLAIN\r\n');
        break;
      case 'AUTH':
        mail.login = Buffer.from(line.split(' ')[2], 'base64').toString();
        say('235 ok');
        break;
      case 'MAIL':
        mail = { ...mail, from: addressOf(line) };
        say('250 ok');
        break;
      case 'RCPT':
        mail.to = addressOf(line);
        say(server.refusal ?? '250 ok');
        break;
      case 'DATA':
        isData = true;
        say('354 go on');
        break;
      case 'QUIT':
        say('221 bye');
        socket.end();
        break;
      default: say('250 ok');
    }
  }
  say('220 mail');
  socket.on('data', (chunk): void => {
    unread += chunk.toString();
    for (let end = unread.indexOf(isData ? '\r\n.\r\n' : '\r\n'); end >= 0;) {
      const text = unread.slice(0, end);
      unread = unread.slice(end + (isData ? 5 : 2));
      if (isData) {
        isData = false;
        take({ ...mail, text: decode(text) });
        say('250 taken');
      } else {
        hear(text);
      }
      end = unread.indexOf(isData ? '\r\n.\r\n' : '\r\n');
    }
  });
}

function addressOf(line: string): string {
  return /<(?<address>[^>]*)>/u.exec(line)?.groups?.address ?? '';
}

/** Quoted-printable and base64 bodies as text: enough for mails of one part. */
function decode(text: string): string {
  const [ head, ...rest ] = text.split('\r\n\r\n');
  const body = rest.join('\r\n\r\n');
  if (/transfer-encoding: base64/iu.test(head)) {
    return `${head}\r\n\r\n${Buffer.from(body, 'base64').toString()}`;
  }
  if (!/transfer-encoding: quoted-printable/iu.test(head)) {
    return text;
  }
  const bytes = body.replaceAll('=\r\n', '').replaceAll(/=([\dA-F]{2})/gu, (...[ , hex ]: string[]): string =>
    String.fromCodePoint(Number.parseInt(hex, 16)));
  return `${head}\r\n\r\n${Buffer.from(bytes, 'latin1').toString()}`;
}
