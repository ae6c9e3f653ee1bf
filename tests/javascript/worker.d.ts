// What a service worker has, which a worker has not; and what the build puts before offline.js.
declare const registration: ServiceWorkerRegistration;
declare const clients: Clients;
declare function skipWaiting(): Promise<void>;
declare const EDITION: { name: string; files: Record<string, string> };
