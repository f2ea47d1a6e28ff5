// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Math} from "@openzeppelin/contracts/utils/math/Math.sol";
import {SafeCast} from "@openzeppelin/contracts/utils/math/SafeCast.sol";
import {PushedPayments} from "./escrow/PushedPayments.sol";
import {TripRecords} from "./escrow/TripRecords.sol";
import {IAuthorizedPayment} from "./SettlementSplitter.sol";

/// Holds the budget of a trip for its bookings. The operator moves it: free -> held for a booking -> vendor, service fee
/// and funder. What it cannot do: pay more than the budget, keep money past a trip's expiry and the grace after it, or
/// give unspent money to anybody but the funder. Whom it commits a booking to is its own decision.
contract TripEscrow is TripRecords, Ownable2Step, EIP712, PushedPayments {
    using Math for uint256;
    using SafeCast for uint256;

    bytes32 public constant CLAIM_TYPEHASH = keccak256("Claim(bytes32 tripId,address guest,uint256 deadline)");
    bytes32 public constant REASON_EXPIRED = "expired";
    uint256 public constant LONGEST_GRACE_SECONDS = 90 days;

    /// How long after a trip's expiry only the operator moves what is committed or confirmed.
    uint256 public immutable graceSeconds;

    address public operator;
    address public serviceFeeRecipient;
    mapping(bytes32 tripId => Trip) private _trips;
    /// By trip first: nobody uses up the booking ids of somebody else's trip.
    mapping(bytes32 tripId => mapping(bytes32 bookingId => Booking)) private _bookings;
    mapping(bytes32 tripId => mapping(bytes32 actionId => bool)) public isActionLogged;

    modifier onlyOperator() {
        if (msg.sender != operator) revert NotOperator(msg.sender);
        _;
    }

    constructor(
        address token_,
        address initialOwner,
        address initialOperator,
        address initialServiceFeeRecipient,
        uint256 graceSeconds_
    ) Ownable(initialOwner) EIP712("TripEscrow", "1") PushedPayments(token_) {
        if (graceSeconds_ > LONGEST_GRACE_SECONDS) revert GraceTooLong(graceSeconds_);
        graceSeconds = graceSeconds_;
        _setOperator(initialOperator);
        _setServiceFeeRecipient(initialServiceFeeRecipient);
    }

    function setOperator(address newOperator) external onlyOwner {
        _setOperator(newOperator);
    }

    /// Also of the bookings that are committed already.
    function setServiceFeeRecipient(address newRecipient) external onlyOwner {
        _setServiceFeeRecipient(newRecipient);
    }

    /// Takes the budget by the funder's EIP-3009 ReceiveWithAuthorization to this contract with tripIdOf(terms) as its
    /// nonce. Anybody may submit it; other terms have another nonce, for which there is no signature.
    function prefundWithAuthorization(
        Terms calldata terms,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) external nonReentrant {
        bytes32 tripId = tripIdOf(terms);
        Trip storage trip = _trips[tripId];
        if (trip.funder != address(0)) revert TripExists(tripId);
        if (terms.budget == 0) revert AmountIsZero();
        if (block.timestamp >= terms.expiresAt) revert TripExpired(terms.expiresAt);
        if (terms.claimSigner == address(0)) revert AddressNotAllowed(address(0));
        _requirePayable(terms.funder);

        trip.funder = terms.funder;
        trip.expiresAt = terms.expiresAt;
        trip.claimSigner = terms.claimSigner;
        trip.free = terms.budget.toUint128();
        totalLiability += terms.budget;
        emit TripFunded(tripId, terms.funder, terms.budget, terms.expiresAt, terms.claimSigner, terms.metadataHash);
        _receive(terms, tripId, validAfter, validBefore, signature);
    }

    /// Makes `guest` the trip's guest, once. The claim's signature names the guest, so that nobody who sees it on its way
    /// can claim for himself.
    function claim(bytes32 tripId, address guest, uint256 deadline, bytes calldata signature) external {
        Trip storage trip = _liveTrip(tripId);
        if (trip.guest != address(0)) revert AlreadyClaimed(trip.guest);
        if (guest == address(0)) revert AddressNotAllowed(guest);
        if (block.timestamp > deadline) revert ClaimExpired(deadline);
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(CLAIM_TYPEHASH, tripId, guest, deadline)));
        if (!SignatureChecker.isValidSignatureNow(trip.claimSigner, digest, signature)) revert WrongClaimSignature();
        trip.guest = guest;
        emit TripClaimed(tripId, guest);
    }

    /// Takes `amount` out of what is free, for one booking.
    function reserve(bytes32 tripId, bytes32 bookingId, uint256 amount) external onlyOperator {
        Trip storage trip = _liveTrip(tripId);
        if (trip.isClosed) revert TripIsClosed();
        Booking storage booking = _bookingIn(tripId, bookingId, BookingState.None);
        if (amount == 0) revert AmountIsZero();
        uint128 taken = _takeFree(trip, amount);
        trip.held += taken;
        booking.state = BookingState.Reserved;
        booking.reserved = taken;
        emit BookingReserved(tripId, bookingId, amount);
    }

    /// Says who is paid what when the booking is settled. Money stays where it is.
    function commit(
        bytes32 tripId,
        bytes32 bookingId,
        address vendor,
        uint256 vendorAmount,
        uint256 markup,
        uint256 serviceFee,
        bytes32 itineraryHash
    ) external onlyOperator {
        _liveTrip(tripId);
        Booking storage booking = _bookingIn(tripId, bookingId, BookingState.Reserved);
        _requirePayable(vendor);
        if (vendorAmount == 0) revert AmountIsZero();
        uint256 wanted = vendorAmount.saturatingAdd(markup).saturatingAdd(serviceFee);
        if (wanted > booking.reserved) revert ExceedsReservation(booking.reserved, wanted);
        booking.state = BookingState.Committed;
        booking.vendor = vendor;
        // None is more than their sum.
        booking.vendorAmount = uint128(vendorAmount);
        booking.markup = uint128(markup);
        booking.serviceFee = uint128(serviceFee);
        emit BookingCommitted(tripId, bookingId, vendor, vendorAmount, markup, serviceFee, itineraryHash);
    }

    function confirm(bytes32 tripId, bytes32 bookingId, bytes32 ticketHash) external onlyOperator {
        _knownTrip(tripId);
        _bookingIn(tripId, bookingId, BookingState.Committed).state = BookingState.Confirmed;
        emit BookingConfirmed(tripId, bookingId, ticketHash);
    }

    function settle(bytes32 tripId, bytes32 bookingId) external onlyOperator nonReentrant {
        Trip storage trip = _knownTrip(tripId);
        _settle(tripId, bookingId, trip, _bookingIn(tripId, bookingId, BookingState.Confirmed));
    }

    function cancel(bytes32 tripId, bytes32 bookingId, bytes32 reason) external onlyOperator nonReentrant {
        Trip storage trip = _knownTrip(tripId);
        _cancel(tripId, bookingId, trip, _openBooking(tripId, bookingId), reason);
    }

    /// Ends a booking that was not confirmed, and its trip can spend what it held on another one. A trip that has expired or
    /// was closed spends nothing: what is held there goes to its funder, by `cancel`.
    function returnToTrip(bytes32 tripId, bytes32 bookingId, bytes32 reason) external onlyOperator {
        Trip storage trip = _liveTrip(tripId);
        if (trip.isClosed) revert TripIsClosed();
        Booking storage booking = _openBooking(tripId, bookingId);
        if (booking.state == BookingState.Confirmed) revert WrongState(booking.state);
        uint128 returned = booking.reserved;
        booking.state = BookingState.Cancelled;
        trip.held -= returned;
        trip.free += returned;
        emit BookingReturned(tripId, bookingId, returned, reason);
    }

    /// Writes down what an agent did for the trip. Its fee is the funder's own earning: from what is free to the funder.
    function logAction(bytes32 tripId, bytes32 actionId, bytes32 actionType, uint256 fee)
        external
        onlyOperator
        nonReentrant
    {
        Trip storage trip = _liveTrip(tripId);
        if (trip.isClosed) revert TripIsClosed();
        if (isActionLogged[tripId][actionId]) revert ActionExists(actionId);
        isActionLogged[tripId][actionId] = true;
        _takeFree(trip, fee);
        emit ActionLogged(tripId, actionId, actionType, fee);
        _pay(tripId, trip.funder, fee);
    }

    /// Gives back what is free, and nothing new is reserved. Bookings go on.
    function close(bytes32 tripId) external onlyOperator nonReentrant {
        Trip storage trip = _knownTrip(tripId);
        if (trip.isClosed) revert TripIsClosed();
        _close(tripId, trip);
    }

    /// The same after the expiry, by anybody. Nothing to do if it is closed: whoever comes second has what he wanted.
    function release(bytes32 tripId) external nonReentrant {
        Trip storage trip = _expiredTrip(tripId);
        if (!trip.isClosed) _close(tripId, trip);
    }

    /// Ends a booking that the operator did not end. After the expiry, the funder or the guest takes back a mere
    /// reservation; after the grace anybody ends any booking, a confirmed one by paying what was committed.
    function releaseBooking(bytes32 tripId, bytes32 bookingId) external nonReentrant {
        Trip storage trip = _expiredTrip(tripId);
        Booking storage booking = _openBooking(tripId, bookingId);
        uint256 graceEndsAt = trip.expiresAt + graceSeconds;
        bool isEarly = block.timestamp < graceEndsAt;
        bool isParty = msg.sender == trip.funder || msg.sender == trip.guest;
        if (isEarly && !(isParty && booking.state == BookingState.Reserved)) revert GraceNotOver(graceEndsAt);
        if (booking.state == BookingState.Confirmed) _settle(tripId, bookingId, trip, booking);
        else _cancel(tripId, bookingId, trip, booking, REASON_EXPIRED);
    }

    /// A trip that nobody funded is all zeros.
    function trips(bytes32 tripId) external view returns (Trip memory) {
        return _trips[tripId];
    }

    function bookings(bytes32 tripId, bytes32 bookingId) external view returns (Booking memory) {
        return _bookings[tripId][bookingId];
    }

    /// Binds a funder's signature to every term, this contract and this chain.
    function tripIdOf(Terms calldata terms) public view returns (bytes32) {
        return keccak256(abi.encode(block.chainid, address(this), terms));
    }

    function _setOperator(address newOperator) private {
        if (newOperator == address(0)) revert AddressNotAllowed(newOperator);
        operator = newOperator;
        emit OperatorChanged(newOperator);
    }

    function _setServiceFeeRecipient(address newRecipient) private {
        _requirePayable(newRecipient);
        serviceFeeRecipient = newRecipient;
        emit ServiceFeeRecipientChanged(newRecipient);
    }

    /// For tokens that take a fee: a budget is what came in, or there is no trip.
    function _receive(
        Terms calldata terms,
        bytes32 tripId,
        uint256 validAfter,
        uint256 validBefore,
        bytes calldata signature
    ) private {
        uint256 balanceBefore = token.balanceOf(address(this));
        IAuthorizedPayment(address(token))
            .receiveWithAuthorization(
                terms.funder, address(this), terms.budget, validAfter, validBefore, tripId, signature
            );
        uint256 received = token.balanceOf(address(this)) - balanceBefore;
        if (received != terms.budget) revert BudgetNotReceived(terms.budget, received);
    }

    function _takeFree(Trip storage trip, uint256 amount) private returns (uint128 taken) {
        if (amount > trip.free) revert InsufficientFree(trip.free, amount);
        taken = uint128(amount);
        trip.free -= taken;
    }

    function _settle(bytes32 tripId, bytes32 bookingId, Trip storage trip, Booking storage booking) private {
        booking.state = BookingState.Settled;
        trip.held -= booking.reserved;
        address vendor = booking.vendor;
        uint256 vendorAmount = booking.vendorAmount;
        uint256 markup = booking.markup;
        uint256 serviceFee = booking.serviceFee;
        uint256 refunded = booking.reserved - vendorAmount - markup - serviceFee;
        emit BookingSettled(tripId, bookingId, vendor, vendorAmount, markup, serviceFee, refunded);
        _pay(tripId, vendor, vendorAmount);
        _pay(tripId, serviceFeeRecipient, serviceFee);
        _pay(tripId, trip.funder, markup + refunded);
    }

    function _cancel(bytes32 tripId, bytes32 bookingId, Trip storage trip, Booking storage booking, bytes32 reason)
        private
    {
        uint128 refunded = booking.reserved;
        booking.state = BookingState.Cancelled;
        trip.held -= refunded;
        emit BookingCancelled(tripId, bookingId, refunded, reason);
        _pay(tripId, trip.funder, refunded);
    }

    function _close(bytes32 tripId, Trip storage trip) private {
        uint128 refunded = trip.free;
        trip.isClosed = true;
        trip.free = 0;
        emit TripClosed(tripId, refunded);
        _pay(tripId, trip.funder, refunded);
    }

    function _knownTrip(bytes32 tripId) private view returns (Trip storage trip) {
        trip = _trips[tripId];
        if (trip.funder == address(0)) revert TripUnknown(tripId);
    }

    function _liveTrip(bytes32 tripId) private view returns (Trip storage trip) {
        trip = _knownTrip(tripId);
        if (block.timestamp >= trip.expiresAt) revert TripExpired(trip.expiresAt);
    }

    function _expiredTrip(bytes32 tripId) private view returns (Trip storage trip) {
        trip = _knownTrip(tripId);
        if (block.timestamp < trip.expiresAt) revert TripNotExpired(trip.expiresAt);
    }

    function _bookingIn(bytes32 tripId, bytes32 bookingId, BookingState state)
        private
        view
        returns (Booking storage booking)
    {
        booking = _bookings[tripId][bookingId];
        if (booking.state != state) revert WrongState(booking.state);
    }

    function _openBooking(bytes32 tripId, bytes32 bookingId) private view returns (Booking storage booking) {
        booking = _bookings[tripId][bookingId];
        BookingState state = booking.state;
        if (state < BookingState.Reserved || state > BookingState.Confirmed) revert WrongState(state);
    }
}
