import { createContext } from 'svelte';
import type { App } from './app.svelte';

/** Hands the app to the pages and parts below, and gets it there. */
export const [ getApp, setApp ] = createContext<App>();
