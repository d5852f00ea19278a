import { createContext } from 'svelte';
import type { App } from './app.svelte';

/** Passes the app to the pages and components below. */
export const [ getApp, setApp ] = createContext<App>();
