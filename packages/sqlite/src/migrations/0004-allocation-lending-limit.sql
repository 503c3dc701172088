ALTER TABLE quota_allocations ADD COLUMN lending_limit REAL;
