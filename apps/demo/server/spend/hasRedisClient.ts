/** Whether a Redis can be asked at all: its client is optional. */
export async function hasRedisClient(): Promise<boolean> {
  try {
    await import("@quota/redis");
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ERR_MODULE_NOT_FOUND" || code === "MODULE_NOT_FOUND") return false;
    throw error;
  }
}
