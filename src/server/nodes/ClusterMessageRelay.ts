import cluster from 'node:cluster';
import type { MessageRelay } from './MessageRelay';

interface ClusterMessage {
  cssDataSharing: string;
}

/** Relays texts between the workers of one machine, through the primary process. */
export class ClusterMessageRelay implements MessageRelay {
  public constructor() {
    if (cluster.isPrimary) {
      cluster.on('message', (sender, message: unknown): void => {
        for (const worker of Object.values(cluster.workers ?? {})) {
          if (isMessage(message) && worker?.isConnected() && worker.id !== sender.id) {
            worker.send(message);
          }
        }
      });
    }
  }

  public publish(text: string): void {
    const message: ClusterMessage = { cssDataSharing: text };
    if (cluster.isWorker && process.connected) {
      process.send?.(message);
    }
  }

  public subscribe(listener: (text: string) => void): void {
    process.on('message', (message: unknown): void => {
      if (isMessage(message)) {
        listener(message.cssDataSharing);
      }
    });
  }
}

function isMessage(message: unknown): message is ClusterMessage {
  return typeof message === 'object' && message !== null && 'cssDataSharing' in message;
}
