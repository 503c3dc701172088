ALTER TABLE quota_allocations ADD COLUMN borrowing_limit REAL;
