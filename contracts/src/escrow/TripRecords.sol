// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// What an escrow of trips keeps, says and refuses.
abstract contract TripRecords {
    enum BookingState {
        None,
        Reserved,
        Committed,
        Confirmed,
        Settled,
        Cancelled
    }

    /// What a funder signs: the trip's id is their hash, and the nonce of the authorization over the budget.
    struct Terms {
        address funder;
        uint256 budget;
        // Unix seconds.
        uint64 expiresAt;
        // Whose signature lets a guest claim the trip.
        address claimSigner;
        bytes32 metadataHash;
        // Tells trips of equal terms apart.
        bytes32 salt;
    }

    struct Trip {
        address funder;
        uint64 expiresAt;
        bool isClosed;
        address claimSigner;
        // Zero until it is claimed.
        address guest;
        uint128 free;
        // The reservations of all bookings that are neither settled nor cancelled.
        uint128 held;
    }

    struct Booking {
        BookingState state;
        address vendor;
        uint128 reserved;
        uint128 vendorAmount;
        uint128 markup;
        uint128 serviceFee;
    }

    event OperatorChanged(address indexed operator);
    event ServiceFeeRecipientChanged(address indexed serviceFeeRecipient);
    event TripFunded(
        bytes32 indexed tripId,
        address indexed funder,
        uint256 budget,
        uint64 expiresAt,
        address claimSigner,
        bytes32 metadataHash
    );
    event TripClaimed(bytes32 indexed tripId, address indexed guest);
    event TripClosed(bytes32 indexed tripId, uint256 refunded);
    event BookingReserved(bytes32 indexed tripId, bytes32 indexed bookingId, uint256 amount);
    event BookingCommitted(
        bytes32 indexed tripId,
        bytes32 indexed bookingId,
        address indexed vendor,
        uint256 vendorAmount,
        uint256 markup,
        uint256 serviceFee,
        bytes32 itineraryHash
    );
    event BookingConfirmed(bytes32 indexed tripId, bytes32 indexed bookingId, bytes32 ticketHash);
    event BookingSettled(
        bytes32 indexed tripId,
        bytes32 indexed bookingId,
        address indexed vendor,
        uint256 vendorAmount,
        uint256 markup,
        uint256 serviceFee,
        uint256 refunded
    );
    event BookingCancelled(bytes32 indexed tripId, bytes32 indexed bookingId, uint256 refunded, bytes32 reason);
    /// It is cancelled, too. Nothing was paid: what it held is free in its trip.
    event BookingReturned(bytes32 indexed tripId, bytes32 indexed bookingId, uint256 returned, bytes32 reason);
    event ActionLogged(bytes32 indexed tripId, bytes32 indexed actionId, bytes32 indexed actionType, uint256 fee);

    error NotOperator(address caller);
    error GraceTooLong(uint256 graceSeconds);
    error TripExists(bytes32 tripId);
    error TripUnknown(bytes32 tripId);
    error TripExpired(uint256 expiresAt);
    error TripNotExpired(uint256 expiresAt);
    error TripIsClosed();
    error GraceNotOver(uint256 endsAt);
    error AmountIsZero();
    error BudgetNotReceived(uint256 budget, uint256 received);
    error AlreadyClaimed(address guest);
    error ClaimExpired(uint256 deadline);
    error WrongClaimSignature();
    error WrongState(BookingState state);
    error InsufficientFree(uint256 free, uint256 wanted);
    error ExceedsReservation(uint256 reserved, uint256 wanted);
    error ActionExists(bytes32 actionId);
}
